/** Server state. A 4xx is never asked again by itself: it would be refused again. */
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'

const mayRetry = (failures: number, error: Error): boolean => !(error instanceof ApiError && error.status < 500) && failures < 1

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: mayRetry, retryDelay: 1000 }, mutations: { retry: false } },
})

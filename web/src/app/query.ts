/**
 * Server state. A 4xx is never asked again by itself: it would be refused again. Whether there is a line is
 * found out by asking: waiting for one, a press would look done, and a list would load for ever.
 */
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { whenLanguageChanges } from './language.ts'

const mayRetry = (failures: number, error: Error): boolean => !(error instanceof ApiError && error.status < 500) && failures < 1

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, retryDelay: 1000, networkMode: 'always', refetchOnReconnect: true },
    mutations: { retry: false, networkMode: 'always' },
  },
})

// Descriptions, notices and names come from the server in words.
whenLanguageChanges(() => void queryClient.invalidateQueries())

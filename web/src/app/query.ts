/**
 * The cache of server state.
 * - A 4xx is never retried automatically: the server would refuse it again. Other failures of reads are retried once.
 * - Always try the network; never pause when the browser says offline. A paused press would look done, and a paused list would load
 *   forever.
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

// Descriptions, notices and names arrive from the server already worded in one language.
whenLanguageChanges(() => void queryClient.invalidateQueries())

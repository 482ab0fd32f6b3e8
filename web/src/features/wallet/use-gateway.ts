/**
 * The payment script's state on the wallet page: initialising, ready or failed. It loads once per visit; a reload tries again.
 * - Where money cannot be added, nothing is loaded and nothing fails.
 */
import { useEffect, useState } from 'react'
import { call } from '../../app/api.ts'
import { type Gateway, GatewayScriptError, openGateway } from './gateway-script.ts'

export type GatewayState =
  | { readonly is: 'initialising' }
  | { readonly is: 'ready'; readonly gateway: Gateway }
  | { readonly is: 'failed'; readonly reason: 'failed' | 'timeout' }

export function useGateway(isWanted: boolean): GatewayState {
  const [state, setState] = useState<GatewayState>({ is: 'initialising' })
  useEffect(() => {
    if (!isWanted) return undefined
    let wanted = true
    const open = async (): Promise<void> => {
      try {
        const gateway = await openGateway(() => call('checkout'))
        if (wanted) setState({ is: 'ready', gateway })
      } catch (error) {
        if (wanted) setState({ is: 'failed', reason: error instanceof GatewayScriptError ? error.reason : 'failed' })
      }
    }
    void open()
    return () => {
      wanted = false
    }
  }, [isWanted])
  return state
}

/** The payment script's state on the wallet page: initialising, ready, or failed with the spec's words. */
import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { call } from '../../api.ts'
import { type Gateway, GatewayScriptError, openGateway } from './gateway-script.ts'

export type GatewayState =
  | { readonly is: 'initialising' }
  | { readonly is: 'ready'; readonly gateway: Gateway }
  | { readonly is: 'failed'; readonly text: string }

export function useGateway(): GatewayState {
  const { t } = useLingui()
  const [state, setState] = useState<GatewayState>({ is: 'initialising' })
  useEffect(() => {
    let wanted = true
    const open = async (): Promise<void> => {
      try {
        const gateway = await openGateway(() => call('checkout'))
        if (wanted) setState({ is: 'ready', gateway })
      } catch (error) {
        const timedOut = error instanceof GatewayScriptError && error.reason === 'timeout'
        if (wanted) setState({ is: 'failed', text: timedOut ? t`SDK initialization timeout` : t`Failed to initialize payment SDK` })
      }
    }
    void open()
    return () => {
      wanted = false
    }
    // Once per visit of the page; a reload is the way to try again (spec section 4).
  }, [])
  return state
}

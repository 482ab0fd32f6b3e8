/**
 * The wallet: the balance as coins, the panel to add money or to withdraw, and every transaction.
 * - The payment script loads when the page opens, if money can be added. Balance, withdrawal and transactions never wait for it.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useLocation } from '@tanstack/react-router'
import { useMember } from '../../app/session.tsx'
import { settings, withDraws } from '../../app/settings.ts'
import { CoinTally } from '../../ui/Art.tsx'
import { Button } from '../../ui/Button.tsx'
import { Later } from '../../ui/Later.tsx'
import { Book, CardSection } from '../../ui/Layout.tsx'
import { formatMoney, Money } from '../../ui/Money.tsx'
import { Part } from '../Part.tsx'
import { AddMoneyPanel } from './AddMoneyPanel.tsx'
import { useGateway } from './use-gateway.ts'
import { TodaySection } from '../TodaySection.tsx'

type Panel = 'add-money' | 'withdraw'
const loadTransactions = () => import('./Transactions.tsx')
const loadRefunds = () => import('./Refund.tsx')
const loadAutopay = () => import('../autopay/AutopaySection.tsx')
const loadPassOn = () => import('./PassOn.tsx')
const loadTransfer = () => import('./TransferPanel.tsx')
const loadWithdrawal = () => import('./WithdrawPanel.tsx')

export function WalletPage() {
  const { t } = useLingui()
  const member = useMember()
  const { topupsOn, withdrawalsOn, byTransfer = false } = settings.modes
  const gateway = useGateway(topupsOn && !byTransfer)
  const hash = useLocation({ select: (location) => location.hash })
  const [panel, setPanel] = useState<Panel>(hash === 'withdraw' ? 'withdraw' : 'add-money')
  const { balance, owed } = member.wallet
  // The operator's switches. They are checked before the form, so that nobody fills in a form in vain.
  const paused = panel === 'add-money' ? !topupsOn && t`Adding money is paused.` : !withdrawalsOn && t`Withdrawals are paused.`

  return (
    <Book title={t`Wallet`}>
      {gateway.is === 'failed' ? <GatewayFailure reason={gateway.reason} /> : null}
      <TodaySection>
        <div className="wallet">
          <div>
            <h1>{t`Wallet`}</h1>
            <Balance balance={balance} />
            {owed > 0 ? <Owed owed={owed} /> : null}
            <div className="buttons card-actions">
              <Button
                kind={panel === 'add-money' ? 'primary' : 'secondary'}
                aria-expanded={panel === 'add-money'}
                aria-controls="add-money"
                onClick={() => setPanel('add-money')}
              >
                <Trans>Add money</Trans>
              </Button>
              <Button
                kind={panel === 'withdraw' ? 'primary' : 'secondary'}
                aria-expanded={panel === 'withdraw'}
                aria-controls="withdraw"
                onClick={() => setPanel('withdraw')}
              >
                <Trans>Withdraw</Trans>
              </Button>
            </div>
          </div>
          <Later>
            {paused ? (
              <p className="panel" id={panel} role="status">
                {paused}
              </p>
            ) : panel === 'add-money' && byTransfer ? (
              <Part name="transfer" load={loadTransfer} lines={7}>
                {({ TransferPanel }) => <TransferPanel />}
              </Part>
            ) : panel === 'add-money' ? (
              <AddMoneyPanel gateway={gateway} />
            ) : (
              <div id={panel}>
                <Part name="withdraw" load={loadWithdrawal} lines={7}>
                  {({ WithdrawPanel }) => <WithdrawPanel balance={balance} />}
                </Part>
              </div>
            )}
          </Later>
        </div>
      </TodaySection>
      <Later>
        {settings.hasAutopay ? (
          <Part name="autopay" load={loadAutopay} lines={4}>
            {({ AutopaySection }) => <AutopaySection gateway={gateway} />}
          </Part>
        ) : null}
        {withDraws() ? (
          <Part name="pass-on" load={loadPassOn} lines={0}>
            {({ PassOnSection }) => <PassOnSection isAimed={hash === 'pass-on'} />}
          </Part>
        ) : null}
        <CardSection when={t`Your wallet`} note={t`newest first`}>
          <h2 className="spaced" id="transactions">{t`Transactions`}</h2>
          <Part name="transactions" load={loadTransactions} lines={4}>
            {({ Transactions }) => <Transactions />}
          </Part>
        </CardSection>
        {byTransfer ? null : (
          <CardSection>
            <Part name="refunds" load={loadRefunds} lines={4}>
              {({ Refund }) => <Refund />}
            </Part>
          </CardSection>
        )}
      </Later>
    </Book>
  )
}

function Balance({ balance }: { readonly balance: number }) {
  const { t } = useLingui()
  const coins = Math.floor(balance)
  return (
    <>
      <p className="muted balance-label">{t`Balance`}</p>
      <p className="figure">
        <Money amount={balance} />
      </p>
      <p className="muted">
        <Plural value={coins} _0="Not enough for a day yet." one="# coin, enough for one day." other="# coins, enough for # days." />
      </p>
      <CoinTally rupees={balance} label={t`${coins} one-rupee coins`} />
    </>
  )
}

function Owed({ owed }: { readonly owed: number }) {
  const amount = formatMoney(owed)
  return (
    <p className="warning-line">
      <Trans>
        You owe {amount}: your bank took back a payment after you had used the money. Money that you get here, except what you add yourself,
        goes towards it first.
      </Trans>
    </p>
  )
}

/** Shown when the payment script does not load: adding money is impossible, and the rest of the page works. */
function GatewayFailure({ reason }: { readonly reason: 'failed' | 'timeout' }) {
  const { t } = useLingui()
  return (
    <CardSection when={t`Now`} note={t`payments`}>
      <div className="empty failed" role="alert">
        <p className="empty-title">{reason === 'timeout' ? t`SDK initialization timeout` : t`Failed to initialize payment SDK`}</p>
        <p className="muted">{t`You can add money once it has loaded. Your balance has not changed.`}</p>
        <Button onClick={() => window.location.reload()}>{t`Retry`}</Button>
      </div>
    </CardSection>
  )
}

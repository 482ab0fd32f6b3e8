/**
 * The gateway's return page, for signed-in and signed-out visitors.
 * - It shows only the server's latest answer, and says what the payer can do.
 * - An order that is not final is followed (follow-order.ts). A failed attempt may still succeed, so it is followed too, without a notice.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { ApiError, call } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { Seal } from '../../ui/Art.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { LedgerItem, Spinner } from '../../ui/Feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { Book, Slip } from '../../ui/Layout.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { Slow } from '../../ui/Slow.tsx'
import { toast } from '../../ui/Toast.tsx'
import { refreshMine } from '../queries.ts'
import { type Followed, followOrder, type OrderAnswered } from './follow-order.ts'
import { orderIdOf, type OrderView, orderView } from './order-view.ts'
import { TodaySection } from '../TodaySection.tsx'

async function check(orderId: string, signal: AbortSignal): Promise<OrderAnswered> {
  try {
    const answer = await call('confirmPayment', { body: { order_id: orderId }, signal, isPatient: true })
    if (answer?.data?.orderUserDetails === undefined) return { problem: 'no_data' }
    return { order: orderView(answer.data, Date.now()) }
  } catch (error) {
    return { problem: error instanceof ApiError && error.status === 404 ? 'not_found' : 'not_fetched' }
  }
}

/** Follows the order while the page is open; `ask` asks now. */
function useFollowed(orderId: string): { readonly followed: Followed; readonly ask: () => Promise<OrderAnswered | undefined> } {
  const [followed, setFollowed] = useState<Followed>({ asked: 0 })
  const [following] = useState(() =>
    followOrder({
      check: (signal) => check(orderId, signal),
      show: setFollowed,
      isHidden: () => document.hidden,
      nowMs: () => performance.now(),
      later: (work, ms) => {
        const timer = setTimeout(work, ms)
        return () => clearTimeout(timer)
      },
    }),
  )
  useEffect(() => {
    const { wake, end } = following
    void following.ask()
    document.addEventListener('visibilitychange', wake)
    window.addEventListener('pageshow', wake)
    window.addEventListener('online', wake)
    return () => {
      end()
      document.removeEventListener('visibilitychange', wake)
      window.removeEventListener('pageshow', wake)
      window.removeEventListener('online', wake)
    }
  }, [following])
  return { followed, ask: following.ask }
}

export function PaymentStatusPage() {
  const { t } = useLingui()
  const [orderId] = useState(() => orderIdOf(window.location.search))
  return (
    <Book title={t`Payment status`}>
      <TodaySection>
        <Slip>
          <h1>{t`Payment status`}</h1>
          {orderId === undefined ? <Problem title={t`No order ID provided`} /> : <Checked orderId={orderId} />}
          <p className="auth-foot">
            <Home>{t`Back to Home`}</Home>
          </p>
        </Slip>
      </TodaySection>
    </Book>
  )
}

function Checked({ orderId }: { readonly orderId: string }) {
  const { t } = useLingui()
  const { followed, ask } = useFollowed(orderId)
  const [isBusy, setBusy] = useState(false)
  const { order, problem, asked } = followed
  const notFetched = t`Failed to fetch payment status. Please try again.`
  const again = async (): Promise<void> => {
    setBusy(true)
    const told = await ask()
    setBusy(false)
    if (told === undefined) return
    // The earlier answer stays on the screen.
    if ('problem' in told && order !== undefined) toast.error(notFetched)
    else if ('order' in told && told.order.status === 'failed') toast.error(t`Payment failed. Please try again.`)
  }
  const onAgain = (): void => void again()
  useAnnouncement(order)

  if (order !== undefined) return <Result order={order} isLong={asked > MANY_CHECKS} busy={isBusy} onAgain={onAgain} />
  if (problem === undefined) {
    return (
      <>
        <Spinner />
        <p className="centred muted">{t`Checking your payment…`}</p>
        <Slow />
        <Facts orderId={orderId} />
      </>
    )
  }
  if (problem === 'not_found') return <NotFound orderId={orderId} />
  return (
    <>
      <Problem title={problem === 'no_data' ? t`No payment data received.` : notFetched} busy={isBusy} onAgain={onAgain}>
        <Trans>We keep asking. Do not pay again: a payment that went through is added to your wallet.</Trans>
      </Problem>
      <Facts orderId={orderId} />
    </>
  )
}

/** Runs once per order and status: a toast when the order has failed, and the new balance when it has succeeded. */
function useAnnouncement(order: OrderView | undefined): void {
  const { t } = useLingui()
  const status = order?.status
  const orderId = order?.orderId
  const tell = useEffectEvent((what: 'failed' | 'added') =>
    what === 'failed' ? toast.error(t`Payment failed. Please try again.`) : toast.success(t`Money added successfully!`),
  )
  useEffect(() => {
    if (status === 'failed') tell('failed')
    if (status !== 'success' || orderId === undefined || session.get().status !== 'member') return
    const takeOver = async (): Promise<void> => {
      try {
        const { balance } = await call('verifyOrder', { params: { orderId } })
        session.setBalance(balance)
        tell('added')
        await refreshMine()
      } catch (error) {
        // The order belongs to another member who used this phone. The page tells the payer; this member's wallet is not touched.
        if (!(error instanceof ApiError && error.code === 'order_not_found')) console.warn('Failed to verify the order:', error)
      }
    }
    void takeOver()
  }, [status, orderId])
}

function Home({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return (
    <a className={className} href={publicPath('home', currentLanguage())}>
      {children}
    </a>
  )
}

function ToWallet({ kind }: { readonly kind: 'primary' | 'secondary' }) {
  return (
    <Link className={buttonClass(kind)} to={paths.wallet}>
      <Trans>Go to Wallet</Trans>
    </Link>
  )
}

/** About two minutes of checks. */
const MANY_CHECKS = 13

type ResultProps = { readonly order: OrderView; readonly isLong: boolean; readonly busy: boolean; readonly onAgain: () => void }

function Result({ order, isLong, busy, onAgain }: ResultProps) {
  const { t } = useLingui()
  if (order.status === 'success') {
    return (
      <>
        <div className="verdict" role="status">
          <Seal word={t`Paid`} />
          <div>
            <h2>{t`Payment Successful!`}</h2>
            <p>{t`The money was added to your wallet.`}</p>
          </div>
        </div>
        <Facts orderId={order.orderId} order={order} />
        <div className="buttons">
          <ToWallet kind="primary" />
        </div>
      </>
    )
  }
  if (order.status === 'pending') {
    return (
      <>
        <div role="status">
          <h2>{t`Payment Pending`}</h2>
          <p>{t`This may take a few minutes. We keep checking; you can leave this page and come back.`}</p>
          {isLong ? (
            <p>
              <Trans>
                Your bank takes longer than usual. You get an email when the money is in your wallet, so you need not wait here.
              </Trans>
            </p>
          ) : null}
        </div>
        <ul className="dots spaced">
          <li>{t`Paid in your UPI app or at your bank? Do not pay again. This page changes by itself.`}</li>
          <li>{t`Left without paying? Nothing was taken. Add money again in your wallet.`}</li>
        </ul>
        <Facts orderId={order.orderId} order={order} />
        <div className="buttons">
          <Button busy={busy} onClick={onAgain}>{t`Check Again`}</Button>
          <ToWallet kind="secondary" />
        </div>
      </>
    )
  }
  return (
    <>
      <div role="status">
        <h2>{t`Payment Failed`}</h2>
        <p>{t`No money was added. If money was debited, it will be returned or added here.`}</p>
      </div>
      <ul className="dots spaced">
        <li>{t`Does your bank show a debit? Do not pay again today. Wait for the money, or ask us with the order ID.`}</li>
        <li>{t`Does your bank show no debit? Add money again in your wallet.`}</li>
      </ul>
      <Facts orderId={order.orderId} order={order} />
      <div className="buttons">
        <Button busy={busy} onClick={onAgain}>{t`Try Again`}</Button>
        <ToWallet kind="secondary" />
        <Home className={buttonClass('quiet')}>{t`Go to Home`}</Home>
      </div>
    </>
  )
}

/** The order id is shown in every state: the payer needs it to ask support. */
function Facts({ orderId, order }: { readonly orderId: string; readonly order?: OrderView }) {
  return (
    <ul className="ledger facts">
      <li>
        <span>
          <Trans>Order ID</Trans>
        </span>
        <span className="amount order-id">{orderId}</span>
      </li>
      {order === undefined ? null : (
        <>
          <LedgerItem label={<Trans>Amount</Trans>}>{formatMoney(order.amountRupees)}</LedgerItem>
          <LedgerItem label={<Trans>Date & Time</Trans>}>{formatInstant(new Date(order.createdAtMs), currentLanguage())}</LedgerItem>
        </>
      )}
    </ul>
  )
}

type ProblemProps = { readonly title: string; readonly busy?: boolean; readonly onAgain?: () => void; readonly children?: ReactNode }

function Problem({ title, busy = false, onAgain, children }: ProblemProps) {
  const { t } = useLingui()
  return (
    <div className="empty failed" role="alert">
      <p className="empty-title">{title}</p>
      {children === undefined ? null : <p className="muted">{children}</p>}
      <div className="buttons">
        <Button busy={busy} onClick={onAgain ?? (() => window.location.reload())}>{t`Try Again`}</Button>
        <Home className={buttonClass('secondary')}>{t`Go to Home`}</Home>
      </div>
    </div>
  )
}

function NotFound({ orderId }: { readonly orderId: string }) {
  const { t } = useLingui()
  return (
    <>
      <div className="empty failed" role="alert">
        <h2>{t`Payment Not Found`}</h2>
        <p className="muted">{t`We couldn't find any payment information for this order.`}</p>
        <Home className={buttonClass('secondary')}>{t`Go to Home`}</Home>
      </div>
      <Facts orderId={orderId} />
    </>
  )
}

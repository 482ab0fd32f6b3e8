/**
 * The gateway's return page, for signed-in and signed-out visitors.
 * - It shows only the server's latest answer.
 * - An order that is not final is polled. A failed attempt may still succeed, so it is polled too, without a notice.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { ApiError, call } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { Seal } from '../../ui/Art.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Spinner } from '../../ui/Feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { Book, Slip } from '../../ui/Layout.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { Slow } from '../../ui/Slow.tsx'
import { toast } from '../../ui/Toast.tsx'
import { refreshMine } from '../queries.ts'
import { orderIdOf, type OrderView, orderView, recheckDelayMs } from './order-view.ts'
import { TodaySection } from '../TodaySection.tsx'

class NoDataError extends Error {
  override readonly name = 'NoDataError'
}

async function check(orderId: string, signal: AbortSignal): Promise<OrderView> {
  const answer = await call('confirmPayment', { body: { order_id: orderId }, signal, isPatient: true })
  if (answer?.data?.orderUserDetails === undefined) throw new NoDataError('the answer contains no order')
  return orderView(answer.data, Date.now())
}

export function PaymentStatusPage() {
  const { t } = useLingui()
  const [orderId] = useState(() => orderIdOf(window.location.search))
  return (
    <Book title={t`Payment status`}>
      <TodaySection>
        <Slip>
          <h1>
            <Trans>Payment status</Trans>
          </h1>
          {orderId === undefined ? <Problem title={t`No order ID provided`} /> : <Checked orderId={orderId} />}
          <p className="auth-foot">
            <Home>
              <Trans>Back to Home</Trans>
            </Home>
          </p>
        </Slip>
      </TodaySection>
    </Book>
  )
}

function Checked({ orderId }: { readonly orderId: string }) {
  const { t } = useLingui()
  const order = useQuery({
    queryKey: ['order', orderId],
    queryFn: ({ signal }) => check(orderId, signal),
    retry: false,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.isFinal ? false : recheckDelayMs(state.dataUpdateCount)),
  })
  const { data, error, isFetching } = order
  const notFetched = t`Failed to fetch payment status. Please try again.`
  const again = (): void => {
    void order.refetch().then((result) => {
      // The earlier answer stays on the screen.
      if (result.isError && result.data !== undefined) toast.error(notFetched)
      else if (result.data?.status === 'failed') toast.error(t`Payment failed. Please try again.`)
    })
  }
  useAnnouncement(data)

  if (data !== undefined) return <Result order={data} busy={isFetching} onAgain={again} />
  if (error === null || isFetching) {
    return (
      <>
        <Spinner />
        <p className="centred muted">
          <Trans>Checking your payment…</Trans>
        </p>
        <Slow />
        <Facts orderId={orderId} />
      </>
    )
  }
  if (error instanceof ApiError && error.status === 404) return <NotFound orderId={orderId} />
  const text = error instanceof NoDataError ? t`No payment data received.` : notFetched
  return (
    <>
      <Problem title={text} onAgain={again} />
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

function Result({ order, busy, onAgain }: { readonly order: OrderView; readonly busy: boolean; readonly onAgain: () => void }) {
  const { t } = useLingui()
  if (order.status === 'success') {
    return (
      <>
        <div className="verdict" role="status">
          <Seal word={t`Paid`} />
          <div>
            <h2>
              <Trans>Payment Successful!</Trans>
            </h2>
            <p>
              <Trans>The money was added to your wallet.</Trans>
            </p>
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
          <h2>
            <Trans>Payment Pending</Trans>
          </h2>
          <p>
            <Trans>This may take a few minutes. We keep checking; you can leave this page and come back.</Trans>
          </p>
        </div>
        <Facts orderId={order.orderId} order={order} />
        <div className="buttons">
          <Button busy={busy} onClick={onAgain}>
            <Trans>Check Again</Trans>
          </Button>
          <ToWallet kind="secondary" />
        </div>
      </>
    )
  }
  return (
    <>
      <div role="status">
        <h2>
          <Trans>Payment Failed</Trans>
        </h2>
        <p>
          <Trans>No money was added. If money was debited, it will be returned or added here.</Trans>
        </p>
      </div>
      <Facts orderId={order.orderId} order={order} />
      <div className="buttons">
        <Button busy={busy} onClick={onAgain}>
          <Trans>Try Again</Trans>
        </Button>
        <ToWallet kind="secondary" />
        <Home className={buttonClass('quiet')}>
          <Trans>Go to Home</Trans>
        </Home>
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
          <li>
            <span>
              <Trans>Amount</Trans>
            </span>
            <span className="amount">{formatMoney(order.amountRupees)}</span>
          </li>
          <li>
            <span>
              <Trans>Date & Time</Trans>
            </span>
            <span className="amount">{formatInstant(new Date(order.createdAtMs), currentLanguage())}</span>
          </li>
        </>
      )}
    </ul>
  )
}

function Problem({ title, onAgain }: { readonly title: string; readonly onAgain?: () => void }) {
  return (
    <div className="empty failed" role="alert">
      <p className="empty-title">{title}</p>
      <div className="buttons">
        <Button onClick={onAgain ?? (() => window.location.reload())}>
          <Trans>Try Again</Trans>
        </Button>
        <Home className={buttonClass('secondary')}>
          <Trans>Go to Home</Trans>
        </Home>
      </div>
    </div>
  )
}

function NotFound({ orderId }: { readonly orderId: string }) {
  return (
    <>
      <div className="empty failed" role="alert">
        <h2>
          <Trans>Payment Not Found</Trans>
        </h2>
        <p className="muted">
          <Trans>We couldn't find any payment information for this order.</Trans>
        </p>
        <Home className={buttonClass('secondary')}>
          <Trans>Go to Home</Trans>
        </Home>
      </div>
      <Facts orderId={orderId} />
    </>
  )
}

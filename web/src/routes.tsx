/**
 * Every screen of the app, and who may open it.
 * - Screens load on demand; the portal is a part of its own.
 * - The server authorizes every call. These guards only spare a visitor a useless screen.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  type RouteComponent,
  stringifySearchWith,
} from '@tanstack/react-router'
import { words as portalWords } from 'virtual:words/admin'
import { loadCalls } from './app/api.ts'
import { loadTexts } from './app/language.ts'
import { paths } from './paths.ts'
import { inPortal, isOfPortal } from './app/portal.ts'
import { session } from './app/session.tsx'
import { settings } from './app/settings.ts'
import { AdminScreens, BrokenPage, AppFrame, MemberScreens, Waiting } from './shell/Frame.tsx'
import { isPortalOpen } from './app/token.ts'

type To = { readonly location: { readonly pathname: string; readonly href: string } }

/**
 * Loads a new page when the address belongs to the other side, portal or members. Not a guard of the root: the root would render nothing
 * meanwhile.
 */
function stayOnSide({ location }: To): void {
  if (isOfPortal(location.pathname) !== inPortal) throw redirect({ href: location.href, reloadDocument: true, replace: true })
}
/**
 * Staff have no screens here. A staff account's session on the members' side is ended. Staff with a session in the portal are redirected to
 * it.
 */
async function staffToPortal(): Promise<void> {
  const { status } = session.get()
  if (status === 'admin') await session.signOut()
  else if (status === 'member' || !isPortalOpen()) return
  throw redirect({ to: paths.adminDashboard, reloadDocument: true, replace: true })
}
async function sendHome(to: To): Promise<void> {
  stayOnSide(to)
  await staffToPortal()
  if (session.get().status === 'member') throw redirect({ to: paths.dashboard, replace: true })
}
async function memberOnly(to: To): Promise<void> {
  stayOnSide(to)
  await staffToPortal()
  if (session.get().status !== 'member') throw redirect({ to: paths.login, replace: true })
}
async function adminOnly(to: To): Promise<void> {
  stayOnSide(to)
  if (session.get().status !== 'admin') throw redirect({ to: paths.adminLogin, replace: true })
  await Promise.all([loadTexts(portalWords), loadCalls(import('virtual:portal-calls'))])
}
async function portalDoor(to: To): Promise<void> {
  stayOnSide(to)
  if (session.get().status === 'admin') throw redirect({ to: paths.adminDashboard, replace: true })
  await Promise.all([loadTexts(portalWords), loadCalls(import('virtual:portal-calls'))])
}

const NotFoundPage = lazyRouteComponent(() => import('./shell/NotFoundPage.tsx'), 'NotFoundPage')

const root = createRootRoute({ component: AppFrame, notFoundComponent: NotFoundPage, errorComponent: BrokenPage })

const anonymous = createRoute({ getParentRoute: () => root, id: 'anonymous', beforeLoad: sendHome })
const member = createRoute({ getParentRoute: () => root, id: 'member', beforeLoad: memberOnly, component: MemberScreens })
const admin = createRoute({ getParentRoute: () => root, id: 'admin', beforeLoad: adminOnly, component: AdminScreens })

type Load<N extends string> = () => Promise<Readonly<Record<N, RouteComponent>>>
const screen = <N extends string>(load: Load<N>, name: N) => lazyRouteComponent<Record<N, RouteComponent>, N>(load, name)
const anonymousPage = <const P extends string, N extends string>(path: P, load: Load<N>, name: N) =>
  createRoute({ getParentRoute: () => anonymous, path, component: screen(load, name) })
const memberPage = <const P extends string, N extends string>(path: P, load: Load<N>, name: N) =>
  createRoute({ getParentRoute: () => member, path, component: screen(load, name) })

const login = anonymousPage(paths.login, () => import('./features/auth/LoginPage.tsx'), 'LoginPage')
const register = anonymousPage(paths.register, () => import('./features/auth/RegisterPage.tsx'), 'RegisterPage')
const goodbye = anonymousPage(paths.goodbye, () => import('./features/profile/GoodbyePage.tsx'), 'GoodbyePage')
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: paths.forgotPassword,
  beforeLoad: stayOnSide,
  component: lazyRouteComponent(() => import('./features/auth/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
})

/** Links in mails and from gateways carry text, whatever it looks like: a long order id is not a number. */
const textOf = (search: Record<string, unknown>, name: string): string | undefined => {
  const value = search[name]
  // The router parses `123` and `true` as number and boolean, but only where the text round-trips.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

const textsOf =
  <K extends string>(...names: readonly K[]) =>
  (search: Record<string, unknown>): { [N in K]?: string | undefined } =>
    Object.fromEntries(names.map((name) => [name, textOf(search, name)])) as { [N in K]?: string | undefined }
const tokenOf = textsOf('token')

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  beforeLoad: stayOnSide,
  validateSearch: tokenOf,
  component: lazyRouteComponent(() => import('./features/auth/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
})
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: paths.verifyEmail,
  beforeLoad: stayOnSide,
  validateSearch: tokenOf,
  component: lazyRouteComponent(() => import('./features/auth/VerifyEmailPage.tsx'), 'VerifyEmailPage'),
})
const notMe = createRoute({
  getParentRoute: () => root,
  path: paths.notMe,
  beforeLoad: stayOnSide,
  validateSearch: tokenOf,
  component: lazyRouteComponent(() => import('./features/auth/NotMePage.tsx'), 'NotMePage'),
})
const paymentStatus = createRoute({
  getParentRoute: () => root,
  path: paths.paymentStatus,
  beforeLoad: stayOnSide,
  validateSearch: textsOf('order_id'),
  component: lazyRouteComponent(() => import('./features/payment-status/PaymentStatusPage.tsx'), 'PaymentStatusPage'),
})

const dashboard = memberPage(paths.dashboard, () => import('./features/dashboard/DashboardPage.tsx'), 'DashboardPage')
const wallet = memberPage(paths.wallet, () => import('./features/wallet/WalletPage.tsx'), 'WalletPage')
const impact = memberPage(paths.impact, () => import('./features/impact/ImpactPage.tsx'), 'ImpactPage')
const history = memberPage(paths.history, () => import('./features/history/HistoryPage.tsx'), 'HistoryPage')
const profile = memberPage(paths.profile, () => import('./features/profile/ProfilePage.tsx'), 'ProfilePage')
const notifications = memberPage(paths.notifications, () => import('./features/notifications/NotificationsPage.tsx'), 'NotificationsPage')

const myTicket = createRoute({
  getParentRoute: () => member,
  path: paths.myTicket,
  validateSearch: textsOf('day'),
  component: lazyRouteComponent(() => import('./features/ticket/MyTicketPage.tsx'), 'MyTicketPage'),
  loader: async () => loadTexts((await import('virtual:words/ticket')).words),
})

const loadPapers = async () => loadTexts((await import('virtual:words/papers')).words)
const receipt = createRoute({
  getParentRoute: () => member,
  path: paths.receipt,
  validateSearch: textsOf('id'),
  component: lazyRouteComponent(() => import('./features/papers/ReceiptPage.tsx'), 'ReceiptPage'),
  loader: loadPapers,
})

const year = createRoute({
  getParentRoute: () => member,
  path: paths.year,
  validateSearch: textsOf('year'),
  component: lazyRouteComponent(() => import('./features/papers/YearPage.tsx'), 'YearPage'),
  loader: loadPapers,
})

const adminLogin = createRoute({
  getParentRoute: () => root,
  path: paths.adminLogin,
  beforeLoad: portalDoor,
  component: lazyRouteComponent(() => import('./features/admin/AdminLoginPage.tsx'), 'AdminLoginPage'),
})
const adminDashboard = createRoute({
  getParentRoute: () => admin,
  path: paths.adminDashboard,
  validateSearch: textsOf('tab', 'member', 'story', 'status', 'order'),
  component: lazyRouteComponent(() => import('./features/admin/today/AdminDashboardPage.tsx'), 'AdminDashboardPage'),
})
const adminInvitation = createRoute({
  getParentRoute: () => root,
  path: paths.adminInvitation,
  beforeLoad: portalDoor,
  component: lazyRouteComponent(() => import('./features/admin/team/InvitationPage.tsx'), 'InvitationPage'),
})
const kitchenSink = createRoute({
  getParentRoute: () => root,
  path: paths.kitchenSink,
  beforeLoad: stayOnSide,
  component: lazyRouteComponent(() => import('./shell/KitchenSink.tsx'), 'KitchenSink'),
})

const tree = root.addChildren([
  anonymous.addChildren([login, register, goodbye]),
  forgotPassword,
  resetPassword,
  verifyEmail,
  notMe,
  paymentStatus,
  member.addChildren([dashboard, wallet, impact, history, profile, notifications, myTicket, receipt, year]),
  adminLogin,
  adminInvitation,
  admin.addChildren([adminDashboard]),
  ...(settings.production ? [] : [kitchenSink]),
])

/** Creates the router on demand, because it takes 100 ms on a slow phone. */
export const createAppRouter = () =>
  createRouter({
    routeTree: tree,
    // The default would parse ?order_id=123456789012345678901 as a float.
    parseSearch: parseSearchWith((value) => value),
    stringifySearch: stringifySearchWith(String),
    defaultPreload: 'intent',
    defaultPendingComponent: Waiting,
    defaultPendingMs: 300,
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
export type AppRouter = ReturnType<typeof createAppRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter
  }
}

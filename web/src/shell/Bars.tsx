/** The top bar: the members' navigation, a plain bar for visitors, and the portal's bar. */
import { useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { brand, currentLanguage } from '../app/language.ts'
import { paths, publicPath } from '../paths.ts'
import { inPortal } from '../app/portal.ts'
import { session, useSession } from '../app/session.tsx'
import { LogoArt } from '../ui/Art.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { ChevronIcon, MenuIcon } from '../ui/icons.tsx'
import { Menu } from '../ui/Menu.tsx'
import { formatMoney } from '../ui/Money.tsx'
import { LanguageSwitch } from './LanguageSwitch.tsx'

/** The bar for the current session and side. */
export function Bar() {
  const now = useSession()
  if (inPortal) return <PortalBar signedIn={now.status === 'admin'} />
  return now.status === 'member' ? <NavigationBar user={now.user} /> : <VisitorBar />
}

function useLogout(): () => void {
  const navigate = useNavigate()
  return () => {
    void session.signOut()
    void navigate({ to: inPortal ? paths.adminLogin : paths.login })
  }
}

function NavigationBar({ user }: { readonly user: User }) {
  const { t } = useLingui()
  const logout = useLogout()
  const links = [
    [paths.dashboard, t`Dashboard`],
    [paths.wallet, t`Wallet`],
    [paths.impact, t`Impact`],
    [paths.history, t`History`],
  ] as const
  const own = (
    <>
      <Link to={paths.profile}>{t`My Profile`}</Link>
      <Link to={paths.notifications}>{t`Notifications`}</Link>
      <LanguageSwitch />
      <hr />
      <button type="button" onClick={logout}>{t`Logout`}</button>
    </>
  )
  return (
    <header className="cloth bar nav no-print">
      <div className="wrap">
        <Link className="logo" to={paths.dashboard}>
          <LogoArt brandName={brand()} />
        </Link>
        <nav className="wide-only" aria-label={t`Main`}>
          <ul>
            {links.map(([to, label]) => (
              <li key={to}>
                <Link className="bar-link" to={to}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Link className="balance" to={paths.wallet} aria-label={t`Wallet balance ${formatMoney(user.wallet.balance)}`}>
          {formatMoney(user.wallet.balance)}
        </Link>
        <Menu
          className="wide-only"
          label={t`User menu`}
          button={
            <>
              <Avatar name={user.name} src={user.avatar} letters={1} />
              <span>{user.name}</span>
              <ChevronIcon />
            </>
          }
        >
          {own}
        </Menu>
        <Menu
          className="small-only"
          label={t`Menu`}
          button={
            <>
              <Avatar name={user.name} src={user.avatar} letters={1} />
              <MenuIcon />
            </>
          }
        >
          <p className="menu-name">{user.name}</p>
          <nav aria-label={t`Main`}>
            {links.map(([to, label]) => (
              <Link key={to} to={to}>
                {label}
              </Link>
            ))}
          </nav>
          <hr />
          {own}
        </Menu>
      </div>
    </header>
  )
}

function VisitorBar() {
  const { t } = useLingui()
  const at = useLocation({ select: (location) => location.pathname })
  return (
    <header className="cloth bar no-print">
      <div className="wrap">
        <a className="logo" href={publicPath('home', currentLanguage())}>
          <LogoArt brandName={brand()} />
          <span className="hidden">{t`home`}</span>
        </a>
        <LanguageSwitch className="bar-link" />
        {at === paths.login ? (
          <Link className="bar-link" to={paths.register}>{t`Sign up`}</Link>
        ) : (
          <Link className="bar-link" to={paths.login}>{t`Log in`}</Link>
        )}
      </div>
    </header>
  )
}

function PortalBar({ signedIn }: { readonly signedIn: boolean }) {
  const { t } = useLingui()
  const logout = useLogout()
  return (
    <header className="cloth bar portal-bar no-print">
      <div className="wrap">
        <Link className="logo" to={signedIn ? paths.adminDashboard : paths.adminLogin}>
          <LogoArt brandName={brand()} />
          <span className="hidden">{t`admin`}</span>
        </Link>
        {/* The front page redirects a signed-in visitor back here unless the address contains #site. The portal's login page has its own link. */}
        {signedIn ? <a className="bar-link" href={`${publicPath('home', currentLanguage())}#site`}>{t`Back to site`}</a> : null}
        <LanguageSwitch className="bar-link" />
        {signedIn ? <button className="bar-link" type="button" onClick={logout}>{t`Logout`}</button> : null}
      </div>
    </header>
  )
}

/** The frame of the console: navigation, the shown moment, the page. */
import { Component, lazy, Suspense, useEffect, useRef, type ComponentType, type ReactNode } from 'react'
import { Route, Switch, useLocation, useParams } from 'wouter'
import { consolePages, KIT_PATH, type ConsolePage, type ConsolePageName } from '../../console/page-list.ts'
import { useRecord } from './api.ts'
import styles from './app.module.css'
import { appTexts } from './app-texts.ts'
import { Problem } from './kit/problem.tsx'
import { ToastProvider } from './kit/toast.tsx'
import { MomentBanner } from './moment-banner.tsx'
import { MomentProvider } from './moment.tsx'
import { Navigation } from './navigation.tsx'
import type { UserRecord } from './records.ts'
import { SessionProvider } from './session.tsx'
import { ReaderProvider, readerOf, useTexts } from './text.tsx'

interface PageProps {
  readonly id: string
}

/** The component of each page, loaded when it is first shown. */
const components: Readonly<Record<ConsolePageName, ComponentType<PageProps>>> = {
  overview: lazy(async () => ({ default: (await import('./pages/overview.tsx')).OverviewPage })),
  users: lazy(async () => ({ default: (await import('./pages/users.tsx')).UsersPage })),
  user: lazy(async () => ({ default: (await import('./pages/user.tsx')).UserPage })),
  audit: lazy(async () => ({ default: (await import('./pages/audit.tsx')).AuditPage })),
  signIns: lazy(async () => ({ default: (await import('./pages/sign-ins.tsx')).SignInsPage })),
  settings: lazy(async () => ({ default: (await import('./pages/settings.tsx')).SettingsPage })),
  signInMethods: lazy(async () => ({
    default: (await import('./pages/sign-in-methods.tsx')).SignInMethodsPage,
  })),
  keys: lazy(async () => ({ default: (await import('./pages/keys.tsx')).KeysPage })),
  applications: lazy(async () => ({ default: (await import('./pages/applications.tsx')).ApplicationsPage })),
  application: lazy(async () => ({ default: (await import('./pages/application.tsx')).ApplicationPage })),
  webhooks: lazy(async () => ({ default: (await import('./pages/webhooks.tsx')).WebhooksPage })),
  webhook: lazy(async () => ({ default: (await import('./pages/webhook.tsx')).WebhookPage })),
  provisioning: lazy(async () => ({ default: (await import('./pages/provisioning.tsx')).ProvisioningPage })),
  applicationProvisioning: lazy(async () => ({
    default: (await import('./pages/provisioning-record.tsx')).ProvisioningRecordPage,
  })),
  sessions: lazy(async () => ({ default: (await import('./pages/sessions.tsx')).SessionsPage })),
  devices: lazy(async () => ({ default: (await import('./pages/devices.tsx')).DevicesPage })),
  signIn: lazy(async () => ({ default: (await import('./pages/sign-in.tsx')).SignInPage })),
  session: lazy(async () => ({ default: (await import('./pages/session.tsx')).SessionPage })),
  device: lazy(async () => ({ default: (await import('./pages/device.tsx')).DevicePage })),
  serviceAccounts: lazy(async () => ({
    default: (await import('./pages/service-accounts.tsx')).ServiceAccountsPage,
  })),
  serviceAccount: lazy(async () => ({
    default: (await import('./pages/service-account.tsx')).ServiceAccountPage,
  })),
  apiKeys: lazy(async () => ({ default: (await import('./pages/api-keys.tsx')).ApiKeysPage })),
  apiKey: lazy(async () => ({ default: (await import('./pages/api-key.tsx')).ApiKeyPage })),
  apiResources: lazy(async () => ({ default: (await import('./pages/api-resources.tsx')).ApiResourcesPage })),
  apiResource: lazy(async () => ({ default: (await import('./pages/api-resource.tsx')).ApiResourcePage })),
  sharedSignals: lazy(async () => ({
    default: (await import('./pages/shared-signals.tsx')).SharedSignalsPage,
  })),
  sharedSignalsStream: lazy(async () => ({
    default: (await import('./pages/shared-signals-stream.tsx')).SharedSignalsStreamPage,
  })),
  riskEvents: lazy(async () => ({ default: (await import('./pages/risk-events.tsx')).RiskEventsPage })),
  riskEvent: lazy(async () => ({ default: (await import('./pages/risk-event.tsx')).RiskEventPage })),
  policies: lazy(async () => ({ default: (await import('./pages/policies.tsx')).PoliciesPage })),
  policy: lazy(async () => ({ default: (await import('./pages/policy.tsx')).PolicyPage })),
  networkZones: lazy(async () => ({ default: (await import('./pages/network-zones.tsx')).NetworkZonesPage })),
  networkZone: lazy(async () => ({ default: (await import('./pages/network-zone.tsx')).NetworkZonePage })),
  operations: lazy(async () => ({ default: (await import('./pages/operations.tsx')).OperationsPage })),
  groups: lazy(async () => ({ default: (await import('./pages/groups.tsx')).GroupsPage })),
  group: lazy(async () => ({ default: (await import('./pages/group.tsx')).GroupPage })),
}

/** Left out of the bundle unless it is for development. */
const KitPage = WITH_KIT_PAGE
  ? lazy(async () => ({ default: (await import('./pages/kit.tsx')).KitPage }))
  : null

const pages = Object.entries(consolePages) as [ConsolePageName, ConsolePage][]

const ShownPage = ({ name }: { readonly name: ConsolePageName }) => {
  const { id = '' } = useParams<{ id?: string }>()
  const Page = components[name]
  return <Page id={id} key={id} />
}

/** A page that cannot be drawn, or whose script cannot be loaded, does not take the navigation away. */
class PageBoundary extends Component<{ readonly children: ReactNode }, { readonly error: Error | null }> {
  override state = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return <Problem error={error} retry={() => location.reload()} />
  }
}

const Frame = ({ organization }: { readonly organization: string }) => {
  const text = useTexts(appTexts)
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)
  // A screen reader continues at the new page, as after loading a document.
  useEffect(() => {
    if (shown.current !== path) main.current?.focus()
    shown.current = path
  }, [path])
  return (
    <div className={styles['frame']}>
      <a className="skip" href="#main">
        {text.skip}
      </a>
      <Navigation organization={organization} />
      <main id="main" ref={main} tabIndex={-1} className={styles['main']}>
        <MomentBanner />
        <PageBoundary key={path}>
          <Suspense
            fallback={
              <p className={styles['loading']} data-loading>
                {text.loading}
              </p>
            }
          >
            <Switch>
              {pages.map(([name, { path: pattern }]) => (
                <Route key={name} path={pattern.replaceAll(/\{(\w+)\}/g, ':$1')}>
                  <ShownPage name={name} />
                </Route>
              ))}
              {KitPage !== null && (
                <Route path={KIT_PATH}>
                  <KitPage />
                </Route>
              )}
              <Route>
                <h1>{text.unknownPage}</h1>
              </Route>
            </Switch>
          </Suspense>
        </PageBoundary>
      </main>
    </div>
  )
}

export const App = ({ organization }: { readonly organization: string }) => {
  const { data: user, error, refetch } = useRecord<UserRecord>('/me')
  const reader = readerOf(user ?? null)
  useEffect(() => {
    document.documentElement.lang = reader.language
  }, [reader.language])
  const isAdministrator = user !== undefined && user.roleKeys.length > 0
  return (
    <ReaderProvider reader={reader}>
      <MomentProvider>
        <ToastProvider>
          {error !== null && user === undefined && (
            <main className={styles['alone']}>
              <Problem error={error} retry={() => void refetch()} />
            </main>
          )}
          {user !== undefined && !isAdministrator && <NoRole />}
          {user !== undefined && isAdministrator && (
            <SessionProvider user={user}>
              <Frame organization={organization} />
            </SessionProvider>
          )}
        </ToastProvider>
      </MomentProvider>
    </ReaderProvider>
  )
}

const NoRole = () => {
  const text = useTexts(appTexts)
  return (
    <main className={styles['alone']}>
      <title>{text.noRole}</title>
      <h1>{text.noRole}</h1>
      <p>{text.askForRole}</p>
      <p>
        <a href="/account">{text.toAccount}</a>
      </p>
    </main>
  )
}

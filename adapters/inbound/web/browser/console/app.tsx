/** The frame of the console: navigation, the shown moment, the page. */
import { Component, useEffect, useMemo, useRef, type ReactNode } from 'react'
import { Route, Switch, useLocation, useParams } from 'wouter'
import { consolePages, type ConsolePageName } from '../../console/page-list.ts'
import { KIT_PATH, type ConsolePage } from '../../console/page.ts'
import { useRecord } from './api.ts'
import styles from './app.module.css'
import { appTexts } from './app-texts.ts'
import { deferred, type Deferred } from './kit/deferred.tsx'
import { PageName } from './kit/page-name.ts'
import { Problem } from './kit/problem.tsx'
import { ToastProvider } from './kit/toast.tsx'
import { MomentBanner } from './moment-banner.tsx'
import { MomentProvider } from './moment.tsx'
import { Navigation } from './navigation.tsx'
import { pageTitles } from './page-titles.ts'
import type { UserRecord } from './records.ts'
import { SessionProvider } from './session.tsx'
import { ReaderProvider, readerOf, useTexts } from './text.tsx'

interface PageProps {
  readonly id: string
}

/** The component of each page, loaded when it is first shown. */
const components: Readonly<Record<ConsolePageName, Deferred<PageProps>>> = {
  overview: deferred(async () => (await import('./pages/overview.tsx')).OverviewPage),
  users: deferred(async () => (await import('./pages/users.tsx')).UsersPage),
  user: deferred(async () => (await import('./pages/user.tsx')).UserPage),
  audit: deferred(async () => (await import('./pages/audit.tsx')).AuditPage),
  signIns: deferred(async () => (await import('./pages/sign-ins.tsx')).SignInsPage),
  settings: deferred(async () => (await import('./pages/settings.tsx')).SettingsPage),
  signInMethods: deferred(async () => (await import('./pages/sign-in-methods.tsx')).SignInMethodsPage),
  keys: deferred(async () => (await import('./pages/keys.tsx')).KeysPage),
  applications: deferred(async () => (await import('./pages/applications.tsx')).ApplicationsPage),
  application: deferred(async () => (await import('./pages/application.tsx')).ApplicationPage),
  webhooks: deferred(async () => (await import('./pages/webhooks.tsx')).WebhooksPage),
  webhook: deferred(async () => (await import('./pages/webhook.tsx')).WebhookPage),
  provisioning: deferred(async () => (await import('./pages/provisioning.tsx')).ProvisioningPage),
  applicationProvisioning: deferred(
    async () => (await import('./pages/provisioning-record.tsx')).ProvisioningRecordPage,
  ),
  sessions: deferred(async () => (await import('./pages/sessions.tsx')).SessionsPage),
  devices: deferred(async () => (await import('./pages/devices.tsx')).DevicesPage),
  signIn: deferred(async () => (await import('./pages/sign-in.tsx')).SignInPage),
  session: deferred(async () => (await import('./pages/session.tsx')).SessionPage),
  device: deferred(async () => (await import('./pages/device.tsx')).DevicePage),
  serviceAccounts: deferred(async () => (await import('./pages/service-accounts.tsx')).ServiceAccountsPage),
  serviceAccount: deferred(async () => (await import('./pages/service-account.tsx')).ServiceAccountPage),
  apiKeys: deferred(async () => (await import('./pages/api-keys.tsx')).ApiKeysPage),
  apiKey: deferred(async () => (await import('./pages/api-key.tsx')).ApiKeyPage),
  apiResources: deferred(async () => (await import('./pages/api-resources.tsx')).ApiResourcesPage),
  apiResource: deferred(async () => (await import('./pages/api-resource.tsx')).ApiResourcePage),
  sharedSignals: deferred(async () => (await import('./pages/shared-signals.tsx')).SharedSignalsPage),
  sharedSignalsStream: deferred(
    async () => (await import('./pages/shared-signals-stream.tsx')).SharedSignalsStreamPage,
  ),
  accessPackages: deferred(async () => (await import('./pages/access-packages.tsx')).AccessPackagesPage),
  lifecycleRules: deferred(async () => (await import('./pages/lifecycle-rules.tsx')).LifecycleRulesPage),
  lifecycleRule: deferred(async () => (await import('./pages/lifecycle-rule.tsx')).LifecycleRulePage),
  accessPackage: deferred(async () => (await import('./pages/access-package.tsx')).AccessPackagePage),
  accessReviews: deferred(async () => (await import('./pages/access-reviews.tsx')).AccessReviewsPage),
  accessReview: deferred(async () => (await import('./pages/access-review.tsx')).AccessReviewPage),
  accessRequests: deferred(async () => (await import('./pages/access-requests.tsx')).AccessRequestsPage),
  accessRequest: deferred(async () => (await import('./pages/access-request.tsx')).AccessRequestPage),
  riskEvents: deferred(async () => (await import('./pages/risk-events.tsx')).RiskEventsPage),
  riskEvent: deferred(async () => (await import('./pages/risk-event.tsx')).RiskEventPage),
  policies: deferred(async () => (await import('./pages/policies.tsx')).PoliciesPage),
  policy: deferred(async () => (await import('./pages/policy.tsx')).PolicyPage),
  sshPrincipalMappings: deferred(
    async () => (await import('./pages/ssh-principal-mappings.tsx')).SshPrincipalMappingsPage,
  ),
  sshPrincipalMapping: deferred(
    async () => (await import('./pages/ssh-principal-mapping.tsx')).SshPrincipalMappingPage,
  ),
  sshCertificates: deferred(async () => (await import('./pages/ssh-certificates.tsx')).SshCertificatesPage),
  sshCertificate: deferred(async () => (await import('./pages/ssh-certificate.tsx')).SshCertificatePage),
  sshHostCertificates: deferred(
    async () => (await import('./pages/ssh-host-certificates.tsx')).SshHostCertificatesPage,
  ),
  sshHostCertificate: deferred(
    async () => (await import('./pages/ssh-host-certificate.tsx')).SshHostCertificatePage,
  ),
  networkZones: deferred(async () => (await import('./pages/network-zones.tsx')).NetworkZonesPage),
  networkZone: deferred(async () => (await import('./pages/network-zone.tsx')).NetworkZonePage),
  identityProviders: deferred(
    async () => (await import('./pages/identity-providers.tsx')).IdentityProvidersPage,
  ),
  identityProvider: deferred(
    async () => (await import('./pages/identity-provider.tsx')).IdentityProviderPage,
  ),
  domains: deferred(async () => (await import('./pages/domains.tsx')).DomainsPage),
  domain: deferred(async () => (await import('./pages/domain.tsx')).DomainPage),
  imports: deferred(async () => (await import('./pages/imports.tsx')).ImportsPage),
  import: deferred(async () => (await import('./pages/import.tsx')).ImportPage),
  configurationPlan: deferred(
    async () => (await import('./pages/configuration-plan.tsx')).ConfigurationPlanPage,
  ),
  exports: deferred(async () => (await import('./pages/exports.tsx')).ExportsPage),
  operations: deferred(async () => (await import('./pages/operations.tsx')).OperationsPage),
  groups: deferred(async () => (await import('./pages/groups.tsx')).GroupsPage),
  group: deferred(async () => (await import('./pages/group.tsx')).GroupPage),
}

/** Left out of the bundle unless it is for development. */
const KitPage = WITH_KIT_PAGE ? deferred(async () => (await import('./pages/kit.tsx')).KitPage) : null

const pages = Object.entries(consolePages) as [ConsolePageName, ConsolePage][]

/** Loads the script of the page at a path, while it is read who is signed in. */
export const preloadPage = (path: string): void => {
  const found = pages.find(([, { path: pattern }]) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  // The page itself reports a script that cannot be loaded.
  if (found !== undefined) components[found[0]].preload().catch(() => undefined)
}

const ShownPage = ({ name }: { readonly name: ConsolePageName }) => {
  const { id = '' } = useParams<{ id?: string }>()
  const titles = useTexts(pageTitles)
  const Page = components[name]
  return (
    <PageName value={titles[name]}>
      <Page id={id} key={id} />
    </PageName>
  )
}

/** A page that cannot be drawn, or whose script cannot be loaded, does not take the navigation away. */
class PageBoundary extends Component<
  { readonly title: string; readonly children: ReactNode },
  { readonly error: Error | null }
> {
  override state = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <>
        <title>{this.props.title}</title>
        <h1>{this.props.title}</h1>
        <Problem error={error} retry={() => location.reload()} />
      </>
    )
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
        <PageBoundary key={path} title={text.notShown}>
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
        </PageBoundary>
      </main>
    </div>
  )
}

export const App = ({ organization }: { readonly organization: string }) => {
  const { data: user, error, refetch } = useRecord<UserRecord>('/me')
  const reader = useMemo(() => readerOf(user ?? null), [user])
  useEffect(() => {
    document.documentElement.lang = reader.language
  }, [reader.language])
  const isAdministrator = user !== undefined && user.roleKeys.length > 0
  return (
    <ReaderProvider reader={reader}>
      <MomentProvider>
        <ToastProvider>
          {error !== null && user === undefined && <NoSession error={error} retry={() => void refetch()} />}
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

const NoSession = (problem: Parameters<typeof Problem>[0]) => {
  const text = useTexts(appTexts)
  return (
    <main className={styles['alone']}>
      <h1>{text.notShown}</h1>
      <Problem {...problem} />
    </main>
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

/** Who can reach what, and why: subjects with the paths that lead to each, as nested lists that can be read aloud. */
import styles from './access-paths.module.css'
import { Badge } from './kit/badge.tsx'
import { PageLink } from './kit/link.tsx'
import { Time } from './kit/time.tsx'
import type { UserAccess } from './records.ts'
import { texts, useTexts } from './text.tsx'

type Path = UserAccess['via'][number]

const accessTexts = texts({
  en: {
    reaches: 'Has access',
    blocked: 'Blocked: the user or the application is not active',
    through: 'through the group',
    assigned: 'assigned directly',
    rule: 'by the rule of the group',
    scim: 'by the connected directory (SCIM)',
    package: 'by an access package',
    lifecycle: 'by a lifecycle rule',
    identity_provider: 'by an identity provider',
    since: 'since',
    until: 'until',
    request: 'request',
    approvedBy: (names: string) => `approved by ${names}`,
    reason: (why: string) => `“${why}”`,
    addedBy: (name: string) => `added by ${name}`,
    assignedBy: (name: string) => `the group was assigned by ${name}`,
    entry: 'Audit entry',
  },
  de: {
    reaches: 'Hat Zugriff',
    blocked: 'Gesperrt: Benutzer oder Anwendung ist nicht aktiv',
    through: 'über die Gruppe',
    assigned: 'direkt zugewiesen',
    rule: 'durch die Regel der Gruppe',
    scim: 'durch das verbundene Verzeichnis (SCIM)',
    package: 'durch ein Zugriffspaket',
    lifecycle: 'durch eine Lebenszyklusregel',
    identity_provider: 'durch einen Identitätsanbieter',
    since: 'seit',
    until: 'bis',
    request: 'Anfrage',
    approvedBy: (names: string) => `genehmigt von ${names}`,
    reason: (why: string) => `„${why}“`,
    addedBy: (name: string) => `hinzugefügt von ${name}`,
    assignedBy: (name: string) => `Gruppe zugewiesen von ${name}`,
    entry: 'Audit-Eintrag',
  },
})

/** The package, and who approved it and why. */
const FromPackage = ({ source }: { readonly source: NonNullable<Path['package']> }) => {
  const text = useTexts(accessTexts)
  const { id, name, requestId, approvedBy, justification } = source
  return (
    <>
      {' '}
      (<PageLink to={`/console/access-packages/${id}`}>{name}</PageLink>
      {requestId !== null && (
        <>
          , <PageLink to={`/console/access-requests/${requestId}`}>{text.request}</PageLink>
        </>
      )}
      {approvedBy.length > 0 && <>, {text.approvedBy(approvedBy.join(', '))}</>}
      {justification !== null && <>, {text.reason(justification)}</>})
    </>
  )
}

export interface AccessSubject {
  readonly key: string
  readonly name: string
  /** Where its name leads */
  readonly to: string
  readonly reaches: boolean
  readonly via: readonly Path[]
}

export const AccessPaths = ({
  subjects,
  empty,
}: {
  readonly subjects: readonly AccessSubject[]
  readonly empty: string
}) => {
  const text = useTexts(accessTexts)
  if (subjects.length === 0) return <p className="hint">{empty}</p>
  return (
    <ul className={styles['subjects']}>
      {subjects.map(({ key, name, to, reaches, via }) => (
        <li key={key}>
          <p>
            <PageLink to={to}>{name}</PageLink>{' '}
            <Badge tone={reaches ? 'good' : 'warn'}>{reaches ? text.reaches : text.blocked}</Badge>
          </p>
          <ul className={styles['paths']}>
            {via.map((path) => (
              <li key={`${path.groupId} ${path.via} ${path.since}`}>
                {text.through} <PageLink to={`/console/groups/${path.groupId}`}>{path.groupName}</PageLink>,{' '}
                {text[path.via]}, {text.since} <Time value={path.since} relative />
                {path.until !== null && (
                  <>
                    , {text.until} <Time value={path.until} />
                  </>
                )}
                {path.package !== null && <FromPackage source={path.package} />}
                {path.lifecycleRule !== null && (
                  <>
                    {' '}
                    (
                    <PageLink to={`/console/lifecycle/${path.lifecycleRule.id}`}>
                      {path.lifecycleRule.name}
                    </PageLink>
                    )
                  </>
                )}
                {path.grantedBy?.name && <>, {text.addedBy(path.grantedBy.name)}</>}
                {path.assignedBy?.name && <>, {text.assignedBy(path.assignedBy.name)}</>}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

import { useId, useMemo, useState, type ReactNode } from 'react'
import { roles } from '../../../../../../domain/roles.ts'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { ActionButtons } from '../kit/action-buttons.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Facts, Loaded, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { GroupRecord, UserAccess, UserRecord } from '../records.ts'
import { RiskLevelBadge } from '../risk-badge.tsx'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { UserStatus } from '../user-status.tsx'
import { AccessChanges } from '../access-changes.tsx'
import { AccessGraph } from '../access-graph.tsx'
import { graphOfUser } from '../access-graph-model.ts'
import { accessGraphTexts } from '../access-graph-texts.ts'
import { AccessPaths } from '../access-paths.tsx'
import { SignInTable } from '../sign-in-table.tsx'
import { AccessReviewTable } from './access-reviews.tsx'
import { accessReviewTexts } from './access-reviews-texts.ts'
import { UserLifecycle } from './user-lifecycle.tsx'
import { UserPackages } from './user-packages.tsx'
import { UserSecurity } from './user-security.tsx'
import { UserDialog, userActions, type UserAction } from './user-actions.tsx'
import { userTexts } from './user-texts.ts'

export const UserPage = ({ id }: { readonly id: string }) => {
  const user = useRecord<UserRecord>(`/users/${id}`, true)
  return <LoadedPage query={user}>{(data) => <LoadedUser user={data} />}</LoadedPage>
}

/** Where a user came from */
const sources = {
  local: 'fromHere',
  scim: 'fromScim',
  identity_provider: 'fromProvider',
  import: 'fromFile',
} as const

const LoadedUser = ({ user }: { readonly user: UserRecord }) => {
  const text = useTexts(userTexts)
  const { title: reviews } = useTexts(accessReviewTexts)
  const { at } = useMoment()
  const [action, setAction] = useState<UserAction | null>(null)
  const held = {
    writes: useMay('user_admin'),
    helps: useMay('user_admin', 'helpdesk_admin', 'security_admin'),
    rules: useMay(),
    secures: useMay('security_admin'),
  }
  const offered = at === null ? userActions(user, held) : []
  const path = `/console/users/${user.id}`
  return (
    <>
      <PageHead
        title={user.name}
        badge={
          <>
            <UserStatus status={user.status} />{' '}
            {user.riskLevel !== null && user.riskLevel !== 'none' && (
              <RiskLevelBadge level={user.riskLevel} label={text.risk} />
            )}
          </>
        }
        lead={user.email}
        actions={
          <ActionButtons
            actions={offered.map((offer) => ({ ...offer, label: text[offer.name] }))}
            onAction={setAction}
          />
        }
      />
      <Tabs
        label={user.name}
        path={path}
        tabs={[
          { name: 'profile', label: text.profile, body: () => <Profile user={user} /> },
          { name: 'access', label: text.access, body: () => <UserAccessTab user={user} /> },
          { name: 'groups', label: text.groups, body: () => <UserGroups userId={user.id} /> },
          ...(at === null
            ? [
                {
                  name: 'changes',
                  label: text.changes,
                  body: () => (
                    <Section title={text.changes} hint={text.changesHint}>
                      <AccessChanges path={`/users/${user.id}/access/diff`} />
                    </Section>
                  ),
                },
                {
                  name: 'packages',
                  label: text.packages,
                  body: () => <UserPackages userId={user.id} />,
                },
                {
                  name: 'reviews',
                  label: reviews,
                  body: () => <AccessReviewTable fixed={{ userId: user.id }} />,
                },
                {
                  name: 'lifecycle',
                  label: text.lifecycle,
                  body: () => <UserLifecycle userId={user.id} />,
                },
                { name: 'security', label: text.security, body: () => <UserSecurity userId={user.id} /> },
                {
                  name: 'sign-ins',
                  label: text.signIns,
                  body: () => <SignInTable path={`/users/${user.id}/sign-ins`} />,
                },
                {
                  name: 'history',
                  label: text.history,
                  body: () => <AuditTable path={`/users/${user.id}/audit`} />,
                },
              ]
            : []),
        ]}
      />
      {action !== null && <UserDialog action={action} user={user} onClose={() => setAction(null)} />}
    </>
  )
}

const optionalTime = (value: string | null): ReactNode => (value === null ? null : <Time value={value} />)

const Profile = ({ user }: { readonly user: UserRecord }) => {
  const text = useTexts(userTexts)
  const common = useTexts(commonTexts)
  return (
    <>
      <Section title={text.profile}>
        <Facts
          facts={[
            [text.givenName, user.givenName],
            [text.familyName, user.familyName],
            [text.jobTitle, user.title],
            [text.department, user.department],
            [text.location, user.location],
            [text.phone, user.phone],
            [text.employeeId, user.employeeId],
            [
              text.manager,
              user.managerId === null ? null : (
                <PageLink to={`/console/users/${user.managerId}`}>{user.managerId}</PageLink>
              ),
            ],
            [text.locale, user.locale],
            [text.timeZone, user.timeZone],
            [text.externalId, user.externalId],
            [text.source, text[sources[user.source]]],
            ...Object.entries(user.custom),
          ]}
        />
      </Section>
      <Section title={text.account}>
        <Facts
          facts={[
            [text.userId, <code key="id">{user.id}</code>],
            [
              text.roles,
              user.roleKeys.length === 0 ? common.none : user.roleKeys.map((role) => roles[role]).join(', '),
            ],
            [text.emailVerified, user.emailVerified ? common.yes : common.no],
            [text.strength, text[user.mfaStrength]],
            [text.lastSignIn, user.lastSignInAt === null ? common.never : <Time value={user.lastSignInAt} />],
            [text.lockedUntil, optionalTime(user.lockedUntil)],
            [text.invited, optionalTime(user.invitedAt)],
            [text.activated, optionalTime(user.activatedAt)],
            [text.suspendedAt, optionalTime(user.suspendedAt)],
            [text.suspendReason, user.suspendReason],
            [text.deletedAt, optionalTime(user.deletedAt)],
            [text.created, <Time key="created" value={user.createdAt} />],
            [text.updated, <Time key="updated" value={user.updatedAt} />],
          ]}
        />
      </Section>
    </>
  )
}

const UserAccessTab = ({ user }: { readonly user: UserRecord }) => {
  const text = useTexts(userTexts)
  const access = useRecord<readonly UserAccess[]>(`/users/${user.id}/access`, true)
  return (
    <Section title={text.access} hint={text.accessHint}>
      <Loaded query={access}>
        {(applications) => <UserReach user={user} applications={applications} />}
      </Loaded>
    </Section>
  )
}

const UserReach = ({
  user,
  applications,
}: {
  readonly user: UserRecord
  readonly applications: readonly UserAccess[]
}) => {
  const text = useTexts(userTexts)
  const { graph: labelOf, list } = useTexts(accessGraphTexts)
  const listId = useId()
  const graph = useMemo(() => graphOfUser(user, applications, `#${listId}`), [user, applications, listId])
  return (
    <>
      {applications.length > 0 && (
        <AccessGraph graph={graph} subject={user.id} label={labelOf(user.name)} listId={listId} />
      )}
      <div id={listId} tabIndex={-1} role="group" aria-label={list}>
        <AccessPaths
          empty={text.noAccess}
          subjects={applications.map(({ applicationId, name, reaches, via }) => ({
            key: applicationId,
            name,
            to: `/console/applications/${applicationId}`,
            reaches,
            via,
          }))}
        />
      </div>
    </>
  )
}

const UserGroups = ({ userId }: { readonly userId: string }) => {
  const text = useTexts(userTexts)
  const columns: readonly Column<GroupRecord>[] = [
    {
      name: 'name',
      label: text.group,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/groups/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    { name: 'members', label: text.members, cell: ({ memberCount }) => memberCount },
  ]
  return (
    <RecordList<GroupRecord>
      path={`/users/${userId}/groups`}
      label={text.groups}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      sort="name"
      past
      empty={text.noGroups}
    />
  )
}

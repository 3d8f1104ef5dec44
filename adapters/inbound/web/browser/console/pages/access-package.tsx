import { useState } from 'react'
import { useLocation } from 'wouter'
import { durationText } from '../../../../../../domain/duration-text.ts'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { AccessPackageRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useReader, useTexts } from '../text.tsx'
import { PackageAssignments } from './access-package-assignments.tsx'
import { usePackageActions } from './access-package-commands.ts'
import { packageBody, packageFieldNames, PackageFields, packageValuesOf } from './access-package-fields.tsx'
import { ApprovalStages } from './access-package-stages.tsx'
import { PackageBadge } from './access-packages.tsx'
import { usePackageTexts } from './access-packages-texts.ts'
import { AccessRequestTable } from './access-requests.tsx'
import { AccessReviewTable } from './access-reviews.tsx'
import { accessReviewTexts, reviewerTypeNames } from './access-reviews-texts.ts'

export const AccessPackagePage = ({ id }: { readonly id: string }) => {
  const found = useRecord<AccessPackageRecord>(`/access-packages/${id}`)
  return <LoadedPage query={found}>{(data) => <LoadedPackage one={data} />}</LoadedPage>
}

type Action = 'edit' | 'publish' | 'archive' | 'delete'

const LoadedPackage = ({ one }: { readonly one: AccessPackageRecord }) => {
  const text = usePackageTexts()
  const { title: reviews } = useTexts(accessReviewTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const [action, setAction] = useState<Action | null>(null)
  const close = (): void => setAction(null)
  return (
    <>
      <PageHead
        title={one.name}
        badge={<PackageBadge status={one.status} />}
        lead={one.description ?? undefined}
        actions={
          mayWrite && (
            <>
              {one.status !== 'published' && (
                <Button small look="primary" onClick={() => setAction('publish')}>
                  {text.publish}
                </Button>
              )}
              <Button small onClick={() => setAction('edit')}>
                {text.edit}
              </Button>
              {one.status === 'published' && (
                <Button small onClick={() => setAction('archive')}>
                  {text.archive}
                </Button>
              )}
              <Button small look="danger" onClick={() => setAction('delete')}>
                {text.delete}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={one.name}
        path={`/console/access-packages/${one.id}`}
        tabs={[
          { name: 'overview', label: text.overview, body: () => <Overview one={one} /> },
          {
            name: 'assignments',
            label: text.assignments,
            body: () => <PackageAssignments one={one} mayWrite={mayWrite} />,
          },
          {
            name: 'requests',
            label: text.requests,
            body: () => <AccessRequestTable fixed={{ packageId: one.id }} />,
          },
          {
            name: 'reviews',
            label: reviews,
            body: () => <AccessReviewTable fixed={{ resourceId: one.id }} />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => (
              <AuditTable path="/audit" fixed={{ targetType: 'access_package', targetId: one.id }} />
            ),
          },
        ]}
      />
      {action === 'edit' && <EditPackage one={one} onClose={close} />}
      {action === 'publish' && <PublishPackage one={one} onClose={close} />}
      {action === 'archive' && <ArchivePackage one={one} onClose={close} />}
      {action === 'delete' && <DeletePackage one={one} onClose={close} />}
    </>
  )
}

const links = (kind: string, records: readonly { readonly id: string; readonly name: string | null }[]) =>
  records.length === 0 ? null : (
    <ul>
      {records.map(({ id, name }) => (
        <li key={id}>
          <PageLink to={`/console/${kind}/${id}`}>{name ?? id}</PageLink>
        </li>
      ))}
    </ul>
  )

const Overview = ({ one }: { readonly one: AccessPackageRecord }) => {
  const text = usePackageTexts()
  const { locale } = useReader()
  const reviewerNames = useTexts(reviewerTypeNames)
  const { duration, requesters } = one
  const usual = duration?.default === undefined ? text.noExpiry : durationText(duration.default, locale)
  const most = duration?.max === undefined ? text.chosen : text.chosenUpTo(durationText(duration.max, locale))
  const requesterGroups = requesters.groupIds.map((id) => ({ id, name: one.names[id] ?? null }))
  return (
    <>
      <Section title={text.overview}>
        <Facts
          facts={[
            [text.groups, links('groups', one.groups)],
            [text.requestable, one.requestable ? text.yes : text.no],
            [
              text.requesters,
              requesters.scope === 'everyone' ? text.everyone : links('groups', requesterGroups),
            ],
            [text.justification, one.requesterJustificationRequired ? text.yes : text.no],
            [text.duration, duration?.requesterMayChoose === true ? `${usual}; ${most}` : usual],
            [text.incompatible, links('access-packages', one.incompatiblePackages)],
            [text.owners, links('users', one.owners)],
            [
              text.review,
              one.review === null
                ? text.noReview
                : text.reviewFacts(
                    String(one.review.everyDays),
                    reviewerNames[one.review.reviewers.type].toLocaleLowerCase(locale),
                  ),
            ],
            [
              text.nextReview,
              one.nextReviewAt === null ? null : <Time key="review" value={one.nextReviewAt} />,
            ],
            [
              text.questions,
              one.questions.length === 0 ? null : (
                <ul key="questions">
                  {one.questions.map(({ id, label }) => (
                    <li key={id}>{label}</li>
                  ))}
                </ul>
              ),
            ],
          ]}
        />
      </Section>
      <Section title={text.stages}>
        {one.approval.required ? <ApprovalStages stages={one.approval.stages} /> : <p>{text.noApproval}</p>}
      </Section>
    </>
  )
}

interface ActionProps {
  readonly one: AccessPackageRecord
  readonly onClose: () => void
}

const EditPackage = ({ one, onClose }: ActionProps) => {
  const text = usePackageTexts()
  const common = useTexts(commonTexts)
  const [values, setValues] = useState(() => packageValuesOf(one))
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/access-packages/${one.id}`,
        body: packageBody(values),
        ifVersion: one.version,
      })}
      onClose={onClose}
      names={packageFieldNames}
      fields={(errorOf) => <PackageFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const PublishPackage = ({ one, onClose }: ActionProps) => {
  const text = usePackageTexts()
  return (
    <ActionDialog
      action={usePackageActions().publish}
      item={one}
      title={`${text.publish}: ${one.name}`}
      done={text.published(one.name)}
      onClose={onClose}
    />
  )
}

const ArchivePackage = ({ one, onClose }: ActionProps) => {
  const text = usePackageTexts()
  return (
    <ActionDialog
      action={usePackageActions().archive}
      item={one}
      title={text.archiveTitle(one.name)}
      done={text.archived(one.name)}
      onClose={onClose}
    />
  )
}

const DeletePackage = ({ one, onClose }: ActionProps) => {
  const text = usePackageTexts()
  const [, setLocation] = useLocation()
  return (
    <ActionDialog
      action={usePackageActions().delete}
      item={one}
      title={text.deleteTitle(one.name)}
      done={text.deleted(one.name)}
      onClose={onClose}
      onDone={() => setLocation('/console/access-packages')}
    />
  )
}

import { useList, useCommand } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Copy } from '../kit/copy.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Problem } from '../kit/problem.tsx'
import { PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useToast } from '../kit/toast.tsx'
import { useMoment } from '../moment.tsx'
import type { ApiResourceRecord, SharedSignalsStreamRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { deliveryTexts, sharedSignalsTexts, streamStatusTexts } from './shared-signals-texts.ts'

const tones: Readonly<Record<SharedSignalsStreamRecord['status'], Tone>> = {
  enabled: 'good',
  paused: 'warn',
  disabled: 'bad',
}

export const StreamStatus = ({ status }: Pick<SharedSignalsStreamRecord, 'status'>) => {
  const text = useTexts(streamStatusTexts)
  return <Badge tone={tones[status]}>{text[status]}</Badge>
}

export const SharedSignalsPage = () => {
  const text = useTexts(sharedSignalsTexts)
  const deliveries = useTexts(deliveryTexts)
  const common = useTexts(commonTexts)
  const columns: readonly Column<SharedSignalsStreamRecord>[] = [
    {
      name: 'application',
      label: text.application,
      cell: ({ id, applicationName, applicationId }) => (
        <PageLink to={`/console/shared-signals/${id}`}>
          {applicationName === '' ? applicationId : applicationName}
        </PageLink>
      ),
      text: ({ applicationName }) => applicationName,
    },
    {
      name: 'delivery',
      label: text.delivery,
      cell: ({ method }) => deliveries[method],
      text: ({ method }) => method,
    },
    {
      name: 'status',
      label: text.status,
      cell: (stream) => <StreamStatus {...stream} />,
      text: ({ status }) => status,
    },
    {
      name: 'pending',
      label: text.pending,
      cell: ({ pending }) => pending,
      text: ({ pending }) => String(pending),
    },
    {
      name: 'last',
      label: text.last,
      cell: ({ lastDeliveredAt }) =>
        lastDeliveredAt === null ? common.never : <Time value={lastDeliveredAt} relative />,
      text: ({ lastDeliveredAt }) => lastDeliveredAt ?? '',
    },
    {
      name: 'error',
      label: text.lastError,
      cell: ({ lastError }) => lastError ?? '',
      text: ({ lastError }) => lastError ?? '',
    },
  ]
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <SetUp />
      <Section title={text.streams}>
        <RecordList<SharedSignalsStreamRecord>
          path="/shared-signals-streams"
          label={text.streams}
          columns={columns}
          keyOf={({ id }) => id}
          nameOf={({ applicationName }) => applicationName}
          empty={text.empty}
        />
      </Section>
    </>
  )
}

/** What an administrator does before the first receiver can create a stream. */
const SetUp = () => {
  const text = useTexts(sharedSignalsTexts)
  const toast = useToast()
  const { at } = useMoment()
  const mayCreate = useMay('app_admin') && at === null
  const identifier = `${location.origin}/ssf`
  const { data } = useList<ApiResourceRecord>('/api-resources', { q: 'Shared signals' })
  const { mutate, isPending, error } = useCommand<ApiResourceRecord>()
  const resource = data?.items.find((one) => one.identifier === identifier)
  return (
    <Section title={text.setUp} hint={text.setUpHint}>
      {resource === undefined ? (
        mayCreate &&
        data !== undefined && (
          <div>
            <Button
              busy={isPending}
              onClick={() => {
                if (!isPending)
                  mutate(
                    {
                      method: 'POST',
                      path: '/api-resources',
                      body: {
                        identifier,
                        name: 'Shared signals',
                        scopes: [
                          {
                            name: 'ssf.manage',
                            description: 'Create and manage a stream of security events',
                          },
                          { name: 'ssf.read', description: 'Read the stream and poll its events' },
                        ],
                      },
                    },
                    { onSuccess: () => toast(text.created) },
                  )
              }}
            >
              {text.createResource}
            </Button>
          </div>
        )
      ) : (
        <>
          <p>
            {text.resource}: <PageLink to={`/console/api-resources/${resource.id}`}>{resource.name}</PageLink>
          </p>
          <p>{text.next}</p>
          <Copy label={text.metadata} value={`${location.origin}/.well-known/ssf-configuration`} />
          <p className="hint">{text.groupsHint}</p>
        </>
      )}
      {error !== null && <Problem error={error} />}
    </Section>
  )
}

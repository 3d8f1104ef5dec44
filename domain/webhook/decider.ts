import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { isKnownEntry } from './event-types.ts'
import type { DeliveryName, WebhookEvent, WebhookFields } from './events.ts'
import { webhookUrlProblem } from './url.ts'

export const MAX_WEBHOOKS = 20
export const MAX_ENTRIES = 50

export type WebhookStatus = 'active' | 'paused'

export interface WebhookState {
  readonly status: 'none' | WebhookStatus | 'deleted'
  readonly fields: WebhookFields
}

export type WebhookCommand =
  | {
      type: 'create'
      webhookId: string
      fields: WebhookFields
      sealedSecret: string
      /** The number of existing endpoints. */
      others: number
    }
  | {
      type: 'update'
      webhookId: string
      fields: Readonly<Record<string, unknown>>
      status?: WebhookStatus
    }
  | { type: 'pause' | 'resume' | 'delete' | 'test'; webhookId: string }
  | { type: 'fail_delivery'; webhookId: string; delivery: DeliveryName; attempts: number; error: string }
  | { type: 'retry_delivery'; webhookId: string; delivery: DeliveryName }

const initial: WebhookState = { status: 'none', fields: { url: '', events: [] } }

const evolve = (state: WebhookState, { type, data }: WebhookEvent): WebhookState => {
  switch (type) {
    case 'webhook.created': {
      const { webhookId: _, sealedSecret: __, ...fields } = data
      return { status: 'active', fields }
    }
    case 'webhook.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'webhook.paused':
      return { ...state, status: 'paused' }
    case 'webhook.resumed':
      return { ...state, status: 'active' }
    case 'webhook.deleted':
      return { ...state, status: 'deleted' }
    case 'webhook.tested':
    case 'webhook.delivery_failed':
    case 'webhook.delivery_retried':
      return state
  }
}

const entriesProblem = (entries: readonly string[]): ReturnType<typeof refuse> | null => {
  if (entries.length < 1 || entries.length > MAX_ENTRIES)
    return refuse('ERR_INVALID', `events: expected 1 to ${String(MAX_ENTRIES)} entries`, '/events')
  for (const [index, entry] of entries.entries()) {
    if (!isKnownEntry(entry))
      return refuse(
        'ERR_INVALID',
        `events[${String(index)}]: expected a type or family from GET /webhooks/event-types, such as user.invite or user.*, or *`,
        `/events/${String(index)}`,
      )
    if (entries.indexOf(entry) < index)
      return refuse('ERR_INVALID', `events: expected each entry once, got ${entry} twice`, '/events')
  }
  return null
}

const fieldsProblem = ({ url, events }: WebhookFields): ReturnType<typeof refuse> | null => {
  const problem = webhookUrlProblem(url)
  return problem === null ? entriesProblem(events) : refuse('ERR_INVALID', `url: ${problem}`, '/url')
}

const turned = (webhookId: string, status: WebhookStatus, state: WebhookState): readonly WebhookEvent[] =>
  status === state.status
    ? []
    : [{ type: status === 'active' ? 'webhook.resumed' : 'webhook.paused', data: { webhookId } }]

const update = (
  { webhookId, fields, status }: Extract<WebhookCommand, { type: 'update' }>,
  state: WebhookState,
): Decision<WebhookEvent> => {
  const changes = changesOf(state.fields, fields)
  const problem = fieldsProblem(applyChanges(state.fields, changes))
  return (
    problem ??
    accept<WebhookEvent>(
      ...(changes.length === 0 ? [] : [{ type: 'webhook.updated' as const, data: { webhookId, changes } }]),
      ...(status === undefined ? [] : turned(webhookId, status, state)),
    )
  )
}

const decide = (command: WebhookCommand, state: WebhookState): Decision<WebhookEvent> => {
  const { webhookId } = command
  if (command.type === 'create') {
    const { fields, sealedSecret, others } = command
    if (state.status !== 'none') return refuse('ERR_CONFLICT')
    const problem = fieldsProblem(fields)
    if (problem !== null) return problem
    return others < MAX_WEBHOOKS
      ? accept({ type: 'webhook.created', data: { webhookId, ...fields, sealedSecret } })
      : refuse(
          'ERR_CONFLICT',
          `The limit of ${String(MAX_WEBHOOKS)} webhook endpoints is reached. Delete one first.`,
        )
  }
  if (state.status === 'none' || state.status === 'deleted') return refuse('ERR_NOT_FOUND')
  switch (command.type) {
    case 'update':
      return update(command, state)
    case 'pause':
      return accept(...turned(webhookId, 'paused', state))
    case 'resume':
      return accept(...turned(webhookId, 'active', state))
    case 'delete':
      return accept({ type: 'webhook.deleted', data: { webhookId } })
    case 'test':
      return accept({ type: 'webhook.tested', data: { webhookId } })
    case 'fail_delivery': {
      const { delivery, attempts, error } = command
      return accept({ type: 'webhook.delivery_failed', data: { webhookId, ...delivery, attempts, error } })
    }
    case 'retry_delivery':
      return accept({ type: 'webhook.delivery_retried', data: { webhookId, ...command.delivery } })
  }
}

export const webhookDecider: Decider<WebhookState, WebhookCommand, WebhookEvent> = {
  initial,
  evolve,
  decide,
}

export const webhookStream = (webhookId: string): string => `webhook-${webhookId}`

/** A run is one stream: what a rule does for one user because of one thing that happened. */
import { accept, type Decider, type Decision } from '../decider.ts'
import type { LifecycleAction } from '../lifecycle-rule/events.ts'
import type { LifecycleRunEvent, RunStatus, RunTrigger, SkipReason, StepError } from './events.ts'

/** How often rules may trigger each other. */
export const MAX_DEPTH = 5

export interface LifecycleRunState {
  readonly status: 'none' | RunStatus
  readonly actions: readonly LifecycleAction[]
  /** Of the actions that were carried out, in order */
  readonly steps: readonly ('succeeded' | 'failed')[]
  readonly depth: number
  readonly privilegedBy: readonly string[] | null
}

export interface NewRun {
  readonly trigger: RunTrigger
  readonly dueAt: string
  readonly actions: readonly LifecycleAction[]
  readonly depth: number
  readonly privilegedBy: readonly string[] | null
}

/** An email that a step sends. */
export interface StepEmail {
  readonly recipientIds: readonly string[]
  readonly subject: string
  readonly text: string
}

export type StepOutcome =
  | { readonly status: 'succeeded'; readonly email?: StepEmail }
  | { readonly status: 'failed'; readonly error: StepError }

export type LifecycleRunCommand = { runId: string; ruleId: string; userId: string } & (
  | { type: 'create'; run: NewRun }
  /** Reads a run that is due; `skip` is the reason not to begin it. A run that has begun goes on. */
  | { type: 'begin'; skip: SkipReason | null }
  | { type: 'end_step'; step: number; outcome: StepOutcome }
)

const initial: LifecycleRunState = {
  status: 'none',
  actions: [],
  steps: [],
  depth: 0,
  privilegedBy: null,
}

const evolve = (state: LifecycleRunState, { type, data }: LifecycleRunEvent): LifecycleRunState => {
  switch (type) {
    case 'lifecycle_run.created': {
      const { actions, depth, privilegedBy } = data
      return { ...initial, status: 'scheduled', actions, depth, privilegedBy }
    }
    case 'lifecycle_run.skipped':
      return { ...state, status: 'skipped' }
    case 'lifecycle_run.email_sent':
      return state
    case 'lifecycle_run.step_ended':
      return { ...state, status: 'running', steps: [...state.steps, data.status] }
    case 'lifecycle_run.finished':
      return { ...state, status: data.status }
  }
}

export const isOpen = ({ status }: Pick<LifecycleRunState, 'status'>): boolean =>
  status === 'scheduled' || status === 'running'

const decide = (command: LifecycleRunCommand, state: LifecycleRunState): Decision<LifecycleRunEvent> => {
  const { runId, ruleId, userId } = command
  const subject = { runId, ruleId, userId }
  if (command.type === 'create') {
    if (state.status !== 'none') return accept()
    return accept<LifecycleRunEvent>(
      { type: 'lifecycle_run.created', data: { ...subject, ...command.run } },
      ...(command.run.depth > MAX_DEPTH
        ? [{ type: 'lifecycle_run.skipped' as const, data: { ...subject, reason: 'loop' as const } }]
        : []),
    )
  }
  if (!isOpen(state)) return accept()
  if (command.type === 'begin')
    return command.skip === null || state.status === 'running'
      ? accept()
      : accept({ type: 'lifecycle_run.skipped', data: { ...subject, reason: command.skip } })

  const { step, outcome } = command
  const action = state.actions[step]
  // Another instance may have recorded the step.
  if (step !== state.steps.length || action === undefined) return accept()
  const { status } = outcome
  const steps = [...state.steps, status]
  const isLast = steps.length === state.actions.length || (status === 'failed' && !action.continueOnError)
  const failed = steps.filter((one) => one === 'failed').length
  return accept<LifecycleRunEvent>(
    ...(outcome.status === 'succeeded' && outcome.email !== undefined
      ? [{ type: 'lifecycle_run.email_sent' as const, data: { ...subject, step, ...outcome.email } }]
      : []),
    {
      type: 'lifecycle_run.step_ended',
      data: {
        ...{ ...subject, step, action: action.type, status },
        ...(outcome.status === 'failed' ? { error: outcome.error } : {}),
      },
    },
    ...(isLast
      ? [
          {
            type: 'lifecycle_run.finished' as const,
            data: {
              ...subject,
              status:
                failed === 0
                  ? ('succeeded' as const)
                  : failed === steps.length
                    ? ('failed' as const)
                    : ('partially_failed' as const),
            },
          },
        ]
      : []),
  )
}

export const lifecycleRunDecider: Decider<LifecycleRunState, LifecycleRunCommand, LifecycleRunEvent> = {
  initial,
  evolve,
  decide,
}

export const lifecycleRunStream = (runId: string): string => `lifecycle_run-${runId}`

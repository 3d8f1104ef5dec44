import fc, { type Arbitrary } from 'fast-check'
import { plainRule, type LifecycleRuleCommand } from '../../../domain/lifecycle-rule/decider.ts'
import type { LifecycleAction } from '../../../domain/lifecycle-rule/events.ts'
import type { LifecycleRunCommand } from '../../../domain/lifecycle-run/decider.ts'
import { at, id } from '../fixed.ts'
import { command, text } from './commands.ts'

// Random commands on one rule and one run.
const by = fc.record({ userId: fc.constant(id('user', 9)), isGlobalAdmin: fc.boolean() })
const actions: Arbitrary<readonly LifecycleAction[]> = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('add_to_group' as const),
      groupId: fc.constant(id('group')),
      continueOnError: fc.boolean(),
    }),
    fc.record({ type: fc.constant('suspend' as const), continueOnError: fc.boolean() }),
  ),
  { minLength: 1, maxLength: 3 },
)
const ruleId = fc.constant(id('lifecycleRule'))

export const lifecycleRuleCommands: Arbitrary<LifecycleRuleCommand> = fc.oneof(
  command<LifecycleRuleCommand>('create', {
    ruleId,
    fields: fc.tuple(text, actions).map(([name, some]) => ({
      ...{ ...plainRule, name, trigger: { type: 'user_created' }, actions: some },
    })),
    enabled: fc.boolean(),
    by,
  }),
  command<LifecycleRuleCommand>('update', {
    ruleId,
    fields: fc.record({ name: text, description: fc.option(text), actions }, { requiredKeys: [] }),
    by,
  }),
  command<LifecycleRuleCommand>('enable', { ruleId, by }),
  command<LifecycleRuleCommand>('disable', { ruleId }),
  command<LifecycleRuleCommand>('pause', { ruleId, users: fc.nat(9), started: fc.nat(9) }),
  command<LifecycleRuleCommand>('delete', { ruleId }),
)

const run = { runId: fc.constant(id('run')), ruleId, userId: fc.constant(id('user')) }

export const lifecycleRunCommands: Arbitrary<LifecycleRunCommand> = fc.oneof(
  command<LifecycleRunCommand>('create', {
    ...run,
    run: fc.tuple(actions, fc.integer({ min: 1, max: 7 })).map(([some, depth]) => ({
      ...{ trigger: { type: 'user_created', key: 'e', eventId: 'e', at: at(0) }, dueAt: at(0) },
      ...{ actions: some, depth, privilegedBy: null },
    })),
  }),
  command<LifecycleRunCommand>('begin', { ...run, skip: fc.constantFrom(null, 'user_gone') }),
  command<LifecycleRunCommand>('end_step', {
    ...run,
    step: fc.nat(3),
    outcome: fc.constantFrom(
      { status: 'succeeded' },
      { status: 'failed', error: { code: 'ERR_CONFLICT', message: 'No' } },
    ),
  }),
)

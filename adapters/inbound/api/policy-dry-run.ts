import type { DryRunTally } from '../../../domain/policy/dry-run.ts'
import type { Id } from '../../../domain/ids.ts'
import { DomainError } from '../../../domain/errors.ts'
import { namesOf, type DryRunRow } from '../../../read-models/queries/policy-dry-runs.ts'
import { policyDryRuns } from '../../application/commands/policy-dry-runs.ts'
import type { Services } from '../../application/services/services.ts'
import { actorIdOf } from '../http/caller.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, instantOf, readers, timeInput } from '../http/schemas.ts'
import { DraftPolicy, draftFrom, PolicyDryRun } from './policy-schemas.ts'

const tag = 'Policies'
const params = fields({ id: idOf('policyDryRun') })
/** Users and applications that are named, those with the most changes first. */
const MAX_NAMED = 100

const mostChanged = (counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_NAMED)

/** Routes that try a policy on past sign-ins. */
export const policyDryRunRoutes = (
  services: Pick<Services, 'pool' | 'clock' | 'configuration'>,
): readonly Route[] => {
  const { pool } = services
  const runs = policyDryRuns(services)

  const shown = async ({ tally, draft: _, afterTime: __, afterId: ___, ...run }: DryRunRow) => {
    const { users, applications, samples, days, ...counts } = tally as DryRunTally & { withoutFacts: number }
    const named = mostChanged(users)
    const apps = mostChanged(applications)
    const names = await namesOf(
      pool,
      [...named.map(([id]) => id), ...samples.flatMap(({ userId }) => userId ?? [])],
      apps.map(([id]) => id),
    )
    return {
      ...run,
      ...counts,
      changed: counts.newlyBlocked + counts.newlyStepUp + counts.newlyAllowed,
      usersChanged: Object.keys(users).length,
      days: Object.entries(days)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([day, each]) => ({ day, ...each })),
      users: named.map(([id, changed]) => ({
        userId: id as Id<'user'>,
        name: names.get(id) ?? null,
        changed,
      })),
      applications: apps.map(([id, changed]) => ({
        appId: id === '' ? null : (id as Id<'application'>),
        name: names.get(id) ?? null,
        changed,
      })),
      samples: samples.map((sample) => ({
        ...sample,
        signInId: sample.signInId as Id<'signInEvent'>,
        userId: sample.userId as Id<'user'> | null,
        appId: sample.appId as Id<'application'> | null,
        userName: sample.userId === null ? null : (names.get(sample.userId) ?? null),
      })),
    }
  }

  return [
    route({
      method: 'POST',
      path: '/policies/dry-run',
      tag,
      summary: 'Try an access policy on past sign-ins',
      description:
        'Decides every recorded sign-in of the period again, with the policies of its time and this one, on the facts that were recorded with it. Changes nothing. Read the progress and the result at the address in Location.',
      access: readers,
      body: fields({
        policy: DraftPolicy,
        from: timeInput('Start of the period (inclusive)'),
        to: timeInput('End of the period (exclusive)'),
      }),
      result: PolicyDryRun,
      status: 202,
      errors: ['ERR_CONFLICT'],
      handle: async ({ body, caller }) => {
        const period = { from: instantOf(body.from, 'from'), to: instantOf(body.to, 'to') }
        if (period.from >= period.to)
          throw new DomainError('ERR_INVALID', 'from: expected a time before to', '/from')
        const id = await runs.start(draftFrom(body.policy), period, actorIdOf(caller))
        const headers = { Location: `/api/v1/policy-dry-runs/${id}` }
        return { body: await shown(await existing(runs.find(id))), headers }
      },
    }),
    route({
      method: 'GET',
      path: '/policy-dry-runs/{id}',
      tag,
      summary: 'Read the progress and the result of a dry run',
      description: 'Dry runs are kept for 30 days.',
      access: readers,
      params,
      result: PolicyDryRun,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await shown(await existing(runs.find(id))) }),
    }),
    route({
      method: 'DELETE',
      path: '/policy-dry-runs/{id}',
      tag,
      summary: 'Cancel a dry run',
      access: readers,
      params,
      status: 204,
      errors: [],
      handle: async ({ params: { id } }) => {
        await runs.cancel(id)
        return done
      },
    }),
  ]
}

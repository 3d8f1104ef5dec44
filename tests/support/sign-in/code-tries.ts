import { wrongCodes } from '../../../adapters/inbound/sign-in/wrong-codes.ts'
import type { TestService } from '../service/service.ts'
import { until } from '../until.ts'

/** Moves a user's wrong codes, from every source, and the resulting locks this far into the past. */
export const ageTries = async ({ core }: TestService, userId: string, minutes: number): Promise<void> => {
  const moved = (field: string) =>
    `to_jsonb(to_char((${field})::timestamptz - make_interval(mins => $2), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`
  await core.services.pool.query(
    `update work.code_tries set
       tries = (select coalesce(jsonb_agg(one || jsonb_build_object('at', ${moved(`one->>'at'`)})), '[]')
         from jsonb_array_elements(tries) as one),
       locks = (select coalesce(jsonb_object_agg(key, ${moved('value')}), '{}') from jsonb_each_text(locks)),
       locked_until = locked_until - make_interval(mins => $2),
       announced_until = announced_until - make_interval(mins => $2),
       noted_until = noted_until - make_interval(mins => $2),
       last_at = last_at - make_interval(mins => $2)
     where subject = $1 or starts_with(subject, $1 || '|')`,
    [userId, minutes],
  )
}

/** Waits until a user's lockout is noted as recorded, which happens after the event is in the log. */
export const lockoutAnnounced = ({ core }: TestService, userId: string): Promise<void> =>
  until(
    async () => {
      const { rowCount } = await core.services.pool.query(
        'select from work.code_tries where subject = $1 and announced_until is not null',
        [userId],
      )
      return rowCount === 1
    },
    20_000,
    'a lockout that is noted as recorded',
  )

/** Enters ten wrong codes for a user, each from another network, so that unknown networks are locked out. */
export const lockOutStrangers = async ({ core }: TestService, userId: string): Promise<void> => {
  const codes = wrongCodes(core.services)
  for (let n = 0; n < 10; n++) {
    const ip = `192.0.2.${String(n)}`
    const taken = await codes.take({ userId }, 'recovery_code', { as: 'stranger', ip })
    if ('wrong' in taken) await taken.wrong()
  }
}

/** Subjects for which attempts are stored. */
export const triesOf = async ({ core }: TestService): Promise<readonly string[]> => {
  const { rows } = await core.services.pool.query<{ subject: string }>('select subject from work.code_tries')
  return rows.map(({ subject }) => subject)
}

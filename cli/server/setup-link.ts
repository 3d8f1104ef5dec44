import { userCommands } from '../../adapters/application/commands/users.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { EmailAddress, line } from '../../adapters/inbound/http/schemas.ts'
import { strictly } from '../../adapters/inbound/http/validate.ts'
import { DomainError } from '../../domain/errors.ts'
import { FIRST_ADMINISTRATOR, isPlaceholderAddress } from '../../domain/user/placeholder.ts'
import {
  countOtherGlobalAdmins,
  globalAdmins,
  invitedGlobalAdmins,
} from '../../read-models/queries/administrators.ts'
import type { Actor } from '../../adapters/application/services/handle.ts'
import type { Core } from './core.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** Returns the actor for actions of the service itself. */
export const systemActor = (): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: newId('auditEvent'),
})

/** Returns the placeholder address that earlier versions invited. */
const guessedAddress = (publicUrl: string): string => `admin@${new URL(publicUrl).hostname}`

/** Returns the invited account without a profile, if there is one. */
const unnamed = <T extends { readonly email: string }>(
  invited: readonly T[],
  publicUrl: string,
): T | undefined =>
  invited.find(({ email }) => isPlaceholderAddress(email)) ??
  invited.find(({ email }) => email === guessedAddress(publicUrl))

/**
 * Returns the enrolment link of the first administrator. Null if there is an active administrator, or a named one,
 * whose own link must stay valid. Invites an account without an address if there is none; otherwise creates a new link
 * for that account and revokes the old one.
 */
export const setupLink = ({ services, caughtUp }: Core): Promise<string | null> =>
  services.locks.alone('setup', async () => {
    // The read models list the administrators, and may lag behind the log.
    await caughtUp()
    if ((await countOtherGlobalAdmins(services.pool, '')) > 0) return null
    const users = userCommands(services)
    const email = FIRST_ADMINISTRATOR
    const invited = await invitedGlobalAdmins(services.pool)
    const waiting = unnamed(invited, services.publicUrl)
    if (waiting !== undefined) {
      if (!isPlaceholderAddress(waiting.email))
        await users.update(waiting.id, { email }, 'system', systemActor())
      return (await users.inviteAgain(waiting.id, 'system', systemActor(), false)).enrollUrl
    }
    if (invited.length > 0) return null
    const { enrollUrl } = await users.invite(
      { profile: { email, name: 'Administrator' }, source: 'local', roles: ['global_admin'] },
      systemActor(),
      false,
    )
    return enrollUrl
  })

/** Returns the message on the terminal while there is no administrator; null once there is one. */
export const setupNotice = async (core: Core): Promise<string | null> => {
  const link = await setupLink(core)
  if (link !== null) return `No administrator exists yet. Set up the first one:\n  ${link}\n`
  const { pool } = core.services
  const [invited] = await invitedGlobalAdmins(pool)
  if (invited === undefined || (await countOtherGlobalAdmins(pool, '')) > 0) return null
  return `No administrator exists yet. ${invited.email} is invited; run "svc bootstrap --force" with that address to print a new link.\n`
}

interface NewAdministrator {
  readonly email: string
  readonly name: string
  /** Whether to continue even if an administrator exists, in any status */
  readonly force: boolean
}

const options = { email: EmailAddress, name: line(200, 'Ada Lovelace') } as const

/**
 * Checks the options by the rules of invitations.
 * @throws CliError with exit code 2 naming the option
 */
export const checkNewAdministrator = (administrator: Pick<NewAdministrator, 'email' | 'name'>): void => {
  for (const name of ['email', 'name'] as const) {
    const problem = strictly(options[name])(administrator[name])
    if (problem !== undefined)
      throw new CliError(exitCodes.usage, `--${name}: ${problem.message.replace(/^body: /, '')}`)
  }
}

/**
 * Invites a global administrator. A user who was invited but has not enrolled gets a new link; the pending account for
 * the first administrator is assigned to this address, and its printed link is revoked.
 * @throws CliError if an administrator already exists, whether active, invited or suspended, unless `force`; and if
 * the address is in use
 */
export const bootstrapLink = (
  { services, caughtUp }: Core,
  { email, name, force }: NewAdministrator,
): Promise<string> =>
  services.locks.alone('setup', async () => {
    await caughtUp()
    const existing = (await globalAdmins(services.pool)).find(
      (admin) => unnamed([admin], services.publicUrl) === undefined,
    )
    if (!force && existing !== undefined)
      throw new CliError(
        exitCodes.error,
        `A global administrator already exists: ${existing.email} (${existing.status}). With --force, bootstrap ` +
          'invites another, or prints a new link for one who is invited.',
      )
    const users = userCommands(services)
    const actor: Actor = { ...systemActor(), actorType: 'cli' }
    const invited = await invitedGlobalAdmins(services.pool)
    const known = invited.find((person) => person.email.toLowerCase() === email.toLowerCase())
    const waiting = unnamed(invited, services.publicUrl)
    if (known !== undefined) {
      // No unnamed account is pending any longer.
      if (waiting !== undefined && waiting.id !== known.id) await users.delete(waiting.id, 'system', actor)
      return (await users.inviteAgain(known.id, 'system', actor)).enrollUrl
    }
    try {
      if (waiting !== undefined) {
        await users.update(waiting.id, { email, name }, 'system', actor)
        return (await users.inviteAgain(waiting.id, 'system', actor)).enrollUrl
      }
      const person = { profile: { email, name }, source: 'local', roles: ['global_admin'] } as const
      return (await users.invite(person, actor)).enrollUrl
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      throw new CliError(exitCodes.error, `${email} cannot be invited: ${error.message}`)
    }
  })

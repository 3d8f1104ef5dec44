import { userCommands } from '../../adapters/application/commands/users.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { EmailAddress, line } from '../../adapters/inbound/http/schemas.ts'
import { validators } from '../../adapters/inbound/http/validate.ts'
import { DomainError } from '../../domain/errors.ts'
import { FIRST_ADMINISTRATOR, isPlaceholderAddress } from '../../domain/user/placeholder.ts'
import { countOtherGlobalAdmins, invitedGlobalAdmins } from '../../read-models/queries/administrators.ts'
import type { Actor } from '../../adapters/application/services/handle.ts'
import type { Core } from './core.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** The service acting by itself. */
export const systemActor = (): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: newId('auditEvent'),
})

/** Whom earlier versions invited when nobody had named an administrator: an address that was a guess. */
const guessedAddress = (publicUrl: string): string => `admin@${new URL(publicUrl).hostname}`

/** The invited account that is for nobody in particular, if there is one. */
const unnamed = <T extends { readonly email: string }>(
  invited: readonly T[],
  publicUrl: string,
): T | undefined =>
  invited.find(({ email }) => isPlaceholderAddress(email)) ??
  invited.find(({ email }) => email === guessedAddress(publicUrl))

/**
 * The link with which the first administrator enrols: null once there is an active one, or somebody was named, whose own
 * link has to last. Invites an account without an address when nobody is invited, whose link asks who opens it; otherwise
 * that account gets a new link, and the old one dies.
 */
export const setupLink = ({ services, caughtUp }: Core): Promise<string | null> =>
  services.locks.alone('setup', async () => {
    // Who administers is asked of the read models, which may be behind what the log already holds.
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

/** What the terminal is told while there is no administrator; null once there is one. */
export const setupNotice = async (core: Core): Promise<string | null> => {
  const link = await setupLink(core)
  if (link !== null) return `There is no administrator yet. Set up the first one:\n  ${link}\n`
  const { pool } = core.services
  const [invited] = await invitedGlobalAdmins(pool)
  if (invited === undefined || (await countOtherGlobalAdmins(pool, '')) > 0) return null
  return `There is no administrator yet. ${invited.email} is invited; "svc bootstrap" for that address prints a new link.\n`
}

interface NewAdministrator {
  readonly email: string
  readonly name: string
  /** Even when there is an administrator already. */
  readonly force: boolean
}

const options = { email: EmailAddress, name: line(200, 'Ada Lovelace') } as const

/** @throws CliError with exit code 2 naming the option, by the rules that invitations have everywhere */
export const checkNewAdministrator = (given: Pick<NewAdministrator, 'email' | 'name'>): void => {
  const { strictly } = validators()
  for (const name of ['email', 'name'] as const) {
    const problem = strictly(options[name])(given[name])
    if (problem !== undefined)
      throw new CliError(exitCodes.usage, `--${name}: ${problem.message.replace(/^body: /, '')}`)
  }
}

/**
 * Invites a global administrator. Whoever was invited before and has not enrolled gets a new link; the account that waits
 * for the first administrator becomes this one's, and the link that was printed for it dies.
 * @throws CliError when there is an administrator already, or the address is somebody's
 */
export const bootstrapLink = (
  { services, caughtUp }: Core,
  { email, name, force }: NewAdministrator,
): Promise<string> =>
  services.locks.alone('setup', async () => {
    await caughtUp()
    if (!force && (await countOtherGlobalAdmins(services.pool, '')) > 0)
      throw new CliError(exitCodes.error, 'There is a global administrator already; --force makes another.')
    const users = userCommands(services)
    const actor: Actor = { ...systemActor(), actorType: 'cli' }
    const invited = await invitedGlobalAdmins(services.pool)
    const known = invited.find((person) => person.email.toLowerCase() === email.toLowerCase())
    const waiting = unnamed(invited, services.publicUrl)
    if (known !== undefined) {
      // Nobody in particular is waited for any more.
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

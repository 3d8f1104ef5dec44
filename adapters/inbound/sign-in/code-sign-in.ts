/**
 * Signing in with a typed code. Neither the response nor its duration reveals whether an address has an account: for
 * an unknown address, attempts are counted the same way, and the same number of secrets is decrypted and hashed.
 */
import { DomainError } from '../../../domain/errors.ts'
import type { SignInFailure } from '../../../domain/sign-in/events.ts'
import { MAX_AUTHENTICATORS } from '../../../domain/user/methods.ts'
import { codeHolder, type CodeHolder } from '../../../read-models/queries/typed-codes.ts'
import { actorOf } from '../http/actor.ts'
import type { SignedInBody } from './signed-in.ts'
import type { Services } from '../../application/services/services.ts'
import { userCommands } from '../../application/commands/users.ts'
import type { Reply } from '../http/route.ts'
import { newId } from '../../kernel/ids.ts'
import { AUTHENTICATOR_SECRET, newAuthenticatorSecret, stepOf } from '../../application/sign-in/totp/codes.ts'
import { methodAllowed } from '../../application/sign-in/allowed-methods.ts'
import { signInCompletion, type SignInRequest } from './complete-sign-in.ts'
import { knownDevices } from './known-device.ts'
import { recordUse } from '../../application/sign-in/method-use.ts'
import { recoveryCodeHash } from '../../application/sign-in/recovery-codes.ts'
import { signInCode, type TypedCode } from '../../application/sign-in/typed-codes.ts'
import type { WaitingRequest } from './waiting-request.ts'
import { tooManyAttempts, wrongCodes, type CodeTyper } from './wrong-codes.ts'

/** A correct code: the app that it comes from; null for a recovery code. */
interface Right {
  readonly methodId: string | null
}

const NOBODY = 'nobody'
const settingsOf = { authenticator_code: 'authenticator_code', recovery_code: 'recovery_codes' } as const

export const codeSignIn = (services: Services) => {
  const { pool, clock, vault, random } = services
  const users = userCommands(services)
  const tries = wrongCodes(services)
  const known = knownDevices(services)
  const { complete, failed } = signInCompletion(services)
  const decoys = Array.from({ length: MAX_AUTHENTICATORS }, (_, n) => {
    const methodId = `${NOBODY}${String(n)}`
    const secret = newAuthenticatorSecret(random)
    return { methodId, sealedSecret: vault.seal(AUTHENTICATOR_SECRET, secret, methodId) }
  })

  /** Tries every authenticator app of the user, and placeholders up to a fixed number. */
  const authenticator = async (
    holder: CodeHolder | null,
    code: string,
  ): Promise<Right | 'bad_code' | 'code_reused'> => {
    const own = holder?.authenticators ?? []
    const now = clock.now()
    const steps = [...own, ...decoys].slice(0, MAX_AUTHENTICATORS).map(({ methodId, sealedSecret }) => {
      const secret = vault.open(AUTHENTICATOR_SECRET, sealedSecret, methodId).toString()
      return { methodId, step: stepOf(secret, code, now) }
    })
    let outcome: 'bad_code' | 'code_reused' = 'bad_code'
    for (const { methodId, step } of steps.slice(0, own.length)) {
      if (step === null) continue
      if (await recordUse(pool, methodId, step, now)) return { methodId }
      outcome = 'code_reused'
    }
    return outcome
  }

  const recovery = async (
    request: SignInRequest,
    holder: CodeHolder | null,
    code: string,
  ): Promise<Right | 'bad_code' | 'code_reused'> => {
    const hash = recoveryCodeHash(vault, holder?.userId ?? NOBODY, code)
    if (holder?.recoveryCodes.includes(hash) !== true) return 'bad_code'
    // A user who may not sign in does not use up the code.
    if (holder.status !== 'active') return { methodId: null }
    const actor = { ...actorOf(request), actorId: holder.userId, actorType: 'user' as const }
    try {
      await users.useRecoveryCode(holder.userId, hash, actor)
      return { methodId: null }
    } catch (error) {
      if (error instanceof DomainError && error.code === 'ERR_CODE_MISMATCH') return 'code_reused'
      throw error
    }
  }

  const check = (
    request: SignInRequest,
    holder: CodeHolder | null,
    { kind, code }: TypedCode,
  ): Promise<Right | 'bad_code' | 'code_reused'> =>
    kind === 'authenticator_code' ? authenticator(holder, code) : recovery(request, holder, code)

  /**
   * @throws DomainError ERR_INVALID, ERR_CODE_MISMATCH, ERR_ACCOUNT_SUSPENDED
   * @throws ApiError ERR_TOO_MANY_ATTEMPTS with Retry-After
   */
  return async (
    request: SignInRequest,
    typed: { readonly email: string; readonly code: string },
    waiting: WaitingRequest | null,
  ): Promise<Reply<SignedInBody>> => {
    const code = signInCode(typed.code)
    const { kind: method } = code
    const [holder, deviceId] = await Promise.all([
      codeHolder(pool, typed.email),
      known.of(request.http.cookies, typed.email),
    ])
    const typer: CodeTyper =
      deviceId === null ? { as: 'stranger', ip: request.http.ip } : { as: 'known_device', deviceId }
    const userId = holder?.userId ?? null
    const fail = (reason: SignInFailure): Promise<void> =>
      failed(request, { userId, email: typed.email, method, reason }, waiting)

    // The user's key may have to be loaded before an event about them is recorded. Loading it at the same time adds
    // no delay.
    const [tried, allowed] = await Promise.all([
      tries.take(userId === null ? { email: typed.email } : { userId }, method, typer),
      methodAllowed(services, settingsOf[method], userId ?? NOBODY),
      vault.ensureLoaded(userId === null ? [] : [userId]),
    ])
    if ('retryAfter' in tried) {
      // Recorded once per lockout: further attempts that are rejected without a check are not recorded.
      if (tried.first) await fail('too_many_attempts')
      throw tooManyAttempts(tried)
    }
    // A method that the user may not use is treated like one that they do not have; its code is not used up.
    const outcome = await check(request, allowed ? holder : null, code)
    if (holder === null || typeof outcome === 'string') {
      await tried.wrong()
      const wrong = outcome === 'code_reused' ? outcome : 'bad_code'
      await fail(holder === null ? 'unknown_user' : allowed ? wrong : 'method_not_allowed')
      throw new DomainError('ERR_CODE_MISMATCH')
    }
    await tried.right()
    const { name, email, status } = holder
    return complete(
      request,
      {
        proofId: newId('session'),
        userId: holder.userId,
        name,
        email,
        status,
        methodId: outcome.methodId,
        method,
        methods: [method],
        userVerified: false,
      },
      waiting,
      'ERR_CODE_MISMATCH',
    )
  }
}

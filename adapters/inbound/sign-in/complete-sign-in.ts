/** The last step of every sign-in: records the attempt and starts the session. */
import { DomainError, type ErrorCode } from '../../../domain/errors.ts'
import type { MethodType } from '../../../domain/method-settings/events.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import type { RiskLevel, RiskType } from '../../../domain/risk/events.ts'
import { highestLevel } from '../../../domain/risk/detect.ts'
import type {
  RaisedRisk,
  SignInDecision,
  SignInEventMethod,
  SignInFailure,
  SignInInterruption,
} from '../../../domain/sign-in/events.ts'
import type { Instant } from '../../../domain/time.ts'
import type { UserStatus } from '../../../domain/user/state.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import { isInAnyGroup } from '../../../read-models/queries/method-settings.ts'
import { actorOf } from '../http/actor.ts'
import { signedIn, type SignedInBody } from './signed-in.ts'
import type { Services } from '../../application/services/services.ts'
import type { UserServices } from '../../application/commands/users.ts'
import { sessionCommands } from '../../application/commands/sessions.ts'
import { signInRecorder, type AttemptToRecord } from '../../application/commands/sign-ins.ts'
import type { Actor } from '../../application/services/handle.ts'
import type { Caller } from '../http/caller.ts'
import type { HttpContext, Reply } from '../http/route.ts'
import { authRequests } from './auth-requests.ts'
import { methodAllowed } from '../../application/sign-in/allowed-methods.ts'
import { riskAssessment } from '../../application/sign-in/risk-assessment.ts'
import { isOpenToAll } from '../../application/sign-in/token-check.ts'
import {
  accessPolicies,
  PolicyRefusal,
  refusalReasons,
  riskReasons,
} from '../../application/sign-in/access-policies.ts'
import { policyStateOf } from '../../../read-models/queries/policy-state.ts'
import { needsProvider } from '../../application/sign-in/federation/required-provider.ts'
import { pendingLinks } from './pending-links.ts'
import { browserDevices, type BrowserDevice } from './browser-devices.ts'
import { afterSignIn, type WaitingRequest } from './waiting-request.ts'

/** The request of a sign-in: the user as far as known, and where the request comes from. */
export interface SignInRequest {
  readonly caller: Caller
  readonly http: HttpContext
}

/** An authenticated user; whether they may sign in is decided here. */
export interface Proof {
  /** `ses_` id, valid for one session */
  readonly proofId: string
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly status: UserStatus
  /** The user's method that was used; null for a sign-in link or a recovery code */
  readonly methodId: string | null
  /** Its name in the sign-in event */
  readonly method: SignInEventMethod
  /** The methods that the session was started with */
  readonly methods: readonly SignInMethod[]
  readonly userVerified: boolean
  /** The identity provider that vouches for the user */
  readonly identityProviderId?: string
  /** Its `amr` */
  readonly upstreamAmr?: readonly string[]
  /** The session at the identity provider, as a hash */
  readonly providerSession?: string
  /** When the user authenticated; default: now */
  readonly authTime?: Instant
  /** For what somebody may have a copy of: how often roles had been added to the user when it was sent or begun */
  readonly raises?: number
}

export interface FailedAttempt {
  readonly userId: string | null
  /** The address as entered; null if none was */
  readonly email: string | null
  readonly method: SignInEventMethod
  readonly reason: SignInFailure
  readonly identityProviderId?: string
  readonly deviceId?: string
  readonly risks?: readonly RaisedRisk[]
}

/** The user must do something else first. */
export type InterruptedAttempt = Omit<FailedAttempt, 'reason'> & { readonly reason: SignInInterruption }

/** Returns the record of a sign-in that was rejected while its session started. */
const overtaken = (error: unknown, refusal: ErrorCode): SignInFailure | null => {
  switch (error instanceof DomainError ? error.code : null) {
    case 'ERR_ACCOUNT_SUSPENDED':
      return 'account_suspended'
    case 'ERR_BLOCKED_BY_POLICY':
      return 'blocked_by_policy'
    case refusal:
      return 'account_not_active'
    default:
      return null
  }
}

/** Returns the settings that apply to an attempt; null if there are none, as for the first use of a new method. */
const settingsOf: Readonly<Record<SignInEventMethod, MethodType | null>> = {
  passkey: 'passkey',
  security_key: 'security_key',
  authenticator_code: 'authenticator_code',
  recovery_code: 'recovery_codes',
  magic_link: 'magic_link',
  identity_provider: 'identity_provider',
  enrollment_link: null,
  device_code: null,
  session: null,
}

/** The services that the last step of a sign-in needs. */
export type SignInServices = UserServices & Pick<Services, 'locate' | 'development'>

interface Assessment {
  readonly risks: readonly RaisedRisk[]
  /** The highest level of them */
  readonly risk: RiskLevel | 'none'
  readonly decision: SignInDecision | null
  readonly isCompromised: boolean
  /** The risk for which a policy does not allow the sign-in */
  readonly riskReason: RiskType | null
}

/** Returns the application that a sign-in opens. A test opens none. */
const openedBy = (waiting: WaitingRequest | null): string | null =>
  waiting === null || waiting.isTest ? null : waiting.application.id

export const signInCompletion = (services: SignInServices) => {
  const { publicUrl, locate } = services
  const sessions = sessionCommands(services)
  const record = signInRecorder(services)
  const devices = browserDevices(services)
  const requests = authRequests(services)
  const links = pendingLinks(services)
  const policies = accessPolicies(services)
  const assessRisks = riskAssessment(services)
  const riskReason = riskReasons(services)

  /** Records that an attempt failed. */
  const failed = async (
    { http }: SignInRequest,
    attempt: FailedAttempt,
    waiting: WaitingRequest | null,
  ): Promise<void> => {
    await record({ ...attempt, appId: openedBy(waiting), result: 'failure' }, http)
  }

  /** Records that the user must do something else first. */
  const interrupted = async (
    { http }: SignInRequest,
    attempt: InterruptedAttempt,
    waiting: WaitingRequest | null,
  ): Promise<void> => {
    await record({ ...attempt, appId: openedBy(waiting), result: 'interrupted' }, http)
  }

  const isAssigned = async (application: ApplicationConfiguration, userId: string): Promise<boolean> =>
    isOpenToAll(application) ||
    isInAnyGroup(services.pool, userId, application.groupIds, services.clock.now())

  /** Returns the risks of a sign-in and what access policies decide; no decision for a user who no longer exists. */
  const assess = async (
    { http }: SignInRequest,
    { userId, methods, authTime = services.clock.now() }: Pick<Proof, 'userId' | 'methods' | 'authTime'>,
    { deviceId, isNew }: BrowserDevice,
    waiting: WaitingRequest | null,
  ): Promise<Assessment> => {
    const { pool, clock } = services
    const configuration = await services.configuration.fresh()
    const now = clock.now()
    const [risks, state] = await Promise.all([
      assessRisks({ userId, location: locate(http.ip), ip: http.ip, deviceIsNew: isNew }, configuration),
      policyStateOf(pool, userId, isNew ? null : deviceId, configuration.policyGroupIds, now),
    ])
    const risk = highestLevel(risks.map(({ level }) => level))
    if (state === null) return { risks, risk, decision: null, isCompromised: false, riskReason: null }
    const applicationId = waiting === null ? null : waiting.application.id
    const subject = { ...state, methods, authTime, risk }
    const decision = policies.decide(configuration, subject, applicationId, http)
    const isAllowed = decision.outcome === 'allow'
    const reason = isAllowed ? null : await riskReason(configuration, decision, userId, risks)
    return { risks, risk, decision, isCompromised: state.isCompromised, riskReason: reason }
  }

  return {
    failed,
    interrupted,

    /**
     * Starts the session, or continues the one of the browser.
     * @param refusal the error for a user whose method is disallowed or removed, or who may not sign in for any reason
     * other than a suspension
     * @param redirectTo a page of this service; if omitted, the application's request continues
     * @throws DomainError ERR_ACCOUNT_SUSPENDED, ERR_NOT_ASSIGNED, ERR_BLOCKED_BY_POLICY,
     * ERR_STRONGER_AUTH_REQUIRED, ERR_CEREMONY_EXPIRED, and `refusal`
     */
    complete: async (
      request: SignInRequest,
      proof: Proof,
      waiting: WaitingRequest | null,
      refusal: ErrorCode,
      redirectTo: string = afterSignIn(waiting),
    ): Promise<Reply<SignedInBody>> => {
      const { caller, http } = request
      const { proofId, userId, name, email, status, methodId, method, methods, userVerified, raises } = proof
      const { identityProviderId, upstreamAmr, authTime, providerSession } = proof
      const who = {
        userId,
        email,
        method,
        ...(identityProviderId === undefined ? {} : { identityProviderId }),
      }
      const type = settingsOf[method]
      if (type !== null && !(await methodAllowed(services, type, userId))) {
        await failed(request, { ...who, reason: 'method_not_allowed' }, waiting)
        throw new DomainError(refusal)
      }
      if (status !== 'active') {
        const suspended = status === 'suspended'
        const reason = suspended ? 'account_suspended' : 'account_not_active'
        await failed(request, { ...who, reason }, waiting)
        throw new DomainError(suspended ? 'ERR_ACCOUNT_SUSPENDED' : refusal)
      }
      if (await needsProvider(services, proof)) {
        await failed(request, { ...who, reason: 'provider_required' }, waiting)
        throw new DomainError('ERR_PROVIDER_REQUIRED')
      }
      if (waiting !== null && !waiting.isTest && !(await isAssigned(waiting.application, userId))) {
        await failed(request, { ...who, reason: 'not_assigned' }, waiting)
        throw new DomainError('ERR_NOT_ASSIGNED')
      }
      const device = await devices.resolve(userId, http)
      const { deviceId } = device
      if (device.blocked) {
        await failed(request, { ...who, reason: 'blocked_by_policy', deviceId }, waiting)
        throw new DomainError('ERR_BLOCKED_BY_POLICY')
      }
      const known = device.isNew ? {} : { deviceId }
      const { risks, risk, decision, isCompromised, ...assessed } = await assess(
        request,
        proof,
        device,
        waiting,
      )
      if (isCompromised) {
        const reason = 'blocked_by_policy'
        await failed(request, { ...who, reason, risks, ...known }, waiting)
        throw new DomainError('ERR_BLOCKED_BY_POLICY')
      }
      if (decision !== null && decision.outcome !== 'allow') {
        const { outcome } = decision
        const reason = refusalReasons[outcome]
        const result = outcome === 'block' ? 'failure' : 'interrupted'
        const appId = openedBy(waiting)
        await record({ ...who, appId, result, reason, decision, risks, ...known }, http)
        throw new PolicyRefusal(outcome, decision, assessed.riskReason)
      }
      const actor: Actor = { ...actorOf(request), actorId: userId, actorType: 'user' }
      const starting = sessions.start(
        {
          proofId,
          userId,
          methodId,
          methods,
          refusal,
          userVerified,
          ...(raises === undefined ? {} : { raises }),
          ...(upstreamAmr === undefined ? {} : { upstreamAmr }),
          ...(authTime === undefined ? {} : { authTime }),
          ...(providerSession === undefined ? {} : { providerSession }),
          ip: http.ip,
          userAgent: http.userAgent,
          deviceId,
          location: locate(http.ip),
          risk,
          current: caller.kind === 'session' ? { sessionId: caller.sessionId, userId: caller.userId } : null,
        },
        actor,
      )
      const started = await starting.catch(async (error: unknown) => {
        const reason = overtaken(error, refusal)
        if (reason !== null) await failed(request, { ...who, reason, ...known }, waiting)
        throw error
      })
      const { sessionId, amr } = started
      // Registered only now: a proof that has become invalid must not register a device.
      const success: AttemptToRecord = {
        ...{ ...who, sessionId, amr, deviceId, decision, risks },
        ...{ appId: openedBy(waiting), result: 'success', reason: null },
      }
      const [cookie, linked] = await Promise.all([
        devices.keep(device, http, actor),
        links.confirm({ userId, methods }, http.cookies, actor),
        record(success, http),
        waiting === null ? null : requests.signedIn(waiting.id, sessionId),
      ])
      return signedIn(publicUrl, { id: userId, name, email }, started, redirectTo, [cookie, ...linked])
    },
  }
}

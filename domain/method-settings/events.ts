import type { Change } from '../changes.ts'

/** The settings of a sign-in method. */
export type MethodType =
  | 'passkey'
  | 'security_key'
  | 'authenticator_code'
  | 'recovery_codes'
  | 'magic_link'
  | 'identity_provider'

/** Requirements for a WebAuthn authenticator (Level 3 §5.4.7, §5.8.6, §6.5.1). */
export interface AuthenticatorOptions {
  /** `direct`: authenticators must prove their model. */
  readonly attestation: 'none' | 'direct'
  /** Certificates in PEM; the attestation must chain to one of them. */
  readonly attestationRoots: readonly string[]
  /** Models that can be registered, as lower-case UUIDs; if empty, every model with a valid attestation. */
  readonly allowedAaguids: readonly string[]
  readonly userVerification: 'required' | 'preferred'
}

export interface MethodSetting {
  readonly enabled: boolean
  /** Only members of these groups can use it; null for all users. */
  readonly allowedGroupIds: readonly string[] | null
  /** Null for a method that is not a WebAuthn authenticator. */
  readonly options: AuthenticatorOptions | null
}

export type MethodSettings = Readonly<Record<MethodType, MethodSetting>>

export type MethodSettingsEvent = {
  type: 'method_settings.updated'
  data: { methodType: MethodType; changes: readonly Change[] }
}

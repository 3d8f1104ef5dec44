import type { Change } from '../changes.ts'

/** Ways to sign in, as an administrator switches them on and off. */
export type MethodType =
  'passkey' | 'security_key' | 'authenticator_code' | 'recovery_codes' | 'magic_link' | 'identity_provider'

/** What is asked of a WebAuthn authenticator (Level 3 §5.4.7, §5.8.6, §6.5.1). */
export interface AuthenticatorOptions {
  /** `direct`: authenticators have to prove what make they are. */
  readonly attestation: 'none' | 'direct'
  /** Certificates in PEM, of which one has to stand at the end of the proof. */
  readonly attestationRoots: readonly string[]
  /** Makes that may be registered, as lower-case UUIDs; every one that proves itself when empty. */
  readonly allowedAaguids: readonly string[]
  readonly userVerification: 'required' | 'preferred'
}

export interface MethodSetting {
  readonly enabled: boolean
  /** Only members of these groups may use it; everybody for null. */
  readonly allowedGroupIds: readonly string[] | null
  /** Null for a method that is no WebAuthn authenticator. */
  readonly options: AuthenticatorOptions | null
}

export type MethodSettings = Readonly<Record<MethodType, MethodSetting>>

export type MethodSettingsEvent = {
  type: 'method_settings.updated'
  data: { methodType: MethodType; changes: readonly Change[] }
}

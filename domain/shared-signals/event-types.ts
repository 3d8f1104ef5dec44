/** Event types of OpenID CAEP 1.0 §3, RISC 1.0 §2 and the Shared Signals Framework 1.0 §7.1.4, §8.1.5. */
const CAEP = 'https://schemas.openid.net/secevent/caep/event-type'
const RISC = 'https://schemas.openid.net/secevent/risc/event-type'
const SSF = 'https://schemas.openid.net/secevent/ssf/event-type'

export const signalTypes = {
  sessionRevoked: `${CAEP}/session-revoked`,
  credentialChange: `${CAEP}/credential-change`,
  assuranceLevelChange: `${CAEP}/assurance-level-change`,
  deviceComplianceChange: `${CAEP}/device-compliance-change`,
  riskLevelChange: `${CAEP}/risk-level-change`,
  accountDisabled: `${RISC}/account-disabled`,
  accountEnabled: `${RISC}/account-enabled`,
  accountPurged: `${RISC}/account-purged`,
} as const

/** The types that a receiver can request. */
export const supportedSignals: readonly string[] = Object.values(signalTypes)

/** Sent to every stream, whatever its receiver requested. */
export const VERIFICATION = `${SSF}/verification`
export const STREAM_UPDATED = `${SSF}/stream-updated`

/** Every kind of id, by its prefix. Ids are `<prefix><26-character ULID>`; other ids must not be created. */
export const idPrefixes = {
  user: 'usr_',
  group: 'grp_',
  application: 'app_',
  clientSecret: 'crd_',
  session: 'ses_',
  signInEvent: 'evt_',
  auditEvent: 'aud_',
  accessPackage: 'pkg_',
  packageAssignment: 'asg_',
  accessRequest: 'req_',
  accessReview: 'rev_',
  accessReviewItem: 'rvi_',
  lifecycleRule: 'lcr_',
  policy: 'pol_',
  policyDryRun: 'pdr_',
  networkZone: 'nz_',
  device: 'dev_',
  riskEvent: 'rsk_',
  apiKey: 'key_',
  identityProvider: 'idp_',
  webhook: 'whk_',
  apiResource: 'api_',
  sshPrincipalMapping: 'spm_',
  domain: 'dom_',
  accessToken: 'atk_',
  method: 'mth_',
  linkedAccount: 'lnk_',
  delivery: 'whd_',
  /** Of a lifecycle rule, and of provisioning. */
  run: 'run_',
  signingKey: 'sgk_',
  samlCertificate: 'crt_',
  /** An OAuth grant, and a grant of API scopes to an application. */
  grant: 'gnt_',
  deviceAuthorization: 'dlg_',
  sharedSignalsStream: 'sst_',
  export: 'exp_',
  import: 'imp_',
  providerTest: 'pts_',
  configurationPlan: 'pln_',
} as const

export type IdKind = keyof typeof idPrefixes
export type Id<K extends IdKind> = `${(typeof idPrefixes)[K]}${string}`

const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}'

/** Regular expression source for ids of a kind, anchored; also the `pattern` of its JSON Schema. */
export const idPattern = (kind: IdKind): string => `^${idPrefixes[kind]}${ULID}$`

export const isId = <K extends IdKind>(kind: K, value: string): value is Id<K> =>
  new RegExp(idPattern(kind)).test(value)

const anyId = new RegExp(`^(?:${Object.values(idPrefixes).join('|')})${ULID}$`)

/** Whether a text is an id of any kind. */
export const isAnyId = (value: string): boolean => anyId.test(value)

/** Creates an id of a kind. Injected, so that the domain is free of randomness. */
export type NewId = <K extends IdKind>(kind: K) => Id<K>

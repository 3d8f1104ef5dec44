/* oxlint-disable no-template-curly-in-string -- lines of other files */
/**
 * Lines that keep attackers out, each with a change that would let one in and the specs that must fail then. A test
 * keeps the list current: every line must be in its file exactly once.
 */
export interface Mutation {
  readonly file: string
  readonly line: string
  readonly mutant: string
  /** Spec files of which at least one test must fail */
  readonly specs: readonly string[]
}

export const mutations: readonly Mutation[] = [
  // Browsers, cookies and addresses
  {
    file: 'adapters/inbound/http/same-origin.ts',
    line: "if (request.secFetchSite?.trim().toLowerCase() === 'cross-site') return true",
    mutant: 'if (false) return true',
    specs: ['tests/http/origin.spec.ts'],
  },
  {
    file: 'adapters/inbound/http/same-origin.ts',
    line: 'return request.origin !== undefined && request.origin !== publicOrigin',
    mutant: 'return request.origin !== undefined && !request.origin.startsWith(publicOrigin)',
    specs: ['tests/http/origin.spec.ts'],
  },
  {
    file: 'adapters/inbound/http/cookies.ts',
    line: 'for (const name of repeated) cookies.delete(name)',
    mutant: '',
    specs: ['tests/http/cookies.spec.ts'],
  },
  {
    file: 'adapters/inbound/http/cookies.ts',
    line: "return own ?? (isBrowser ? undefined : ownCookie(cookies, SESSION_COOKIE, ''))",
    mutant: "return own ?? ownCookie(cookies, SESSION_COOKIE, '')",
    specs: ['tests/http/cookies.spec.ts'],
  },
  {
    file: 'adapters/kernel/client-ip.ts',
    line: "const hop = normaliseAddress(hops.pop() ?? '')",
    mutant: "const hop = normaliseAddress(hops.shift() ?? '')",
    specs: ['tests/http/origin.spec.ts'],
  },
  {
    file: 'adapters/inbound/sign-in/own-path.ts',
    line: "if (origin !== new URL(publicUrl).origin || pathname.startsWith('//')) return undefined",
    mutant: 'if (origin !== new URL(publicUrl).origin) return undefined',
    specs: ['tests/web/own-path.spec.ts'],
  },
  {
    file: 'adapters/kernel/html.ts',
    line: "export const escape = (text: string): string => text.replace(/[&<>\"']/g, (char) => entities[char] ?? '')",
    mutant:
      "export const escape = (text: string): string => text.replace(/[&<>']/g, (char) => entities[char] ?? '')",
    specs: ['tests/web/html.spec.ts'],
  },
  {
    file: 'adapters/inbound/api/outbox.ts',
    line: 'if (!isLoopback(http.ip) || !URL.canParse(origin) || !isLocalHost(new URL(origin).hostname))',
    mutant: 'if (!isLoopback(http.ip))',
    specs: ['tests/mail/outbox.spec.ts'],
  },
  {
    file: 'cli/server/config.ts',
    line: "if (values.SVC_DEV === '1' && ownUrl !== undefined && !isLocalHost(new URL(ownUrl).hostname)) {",
    mutant: 'if (false) {',
    specs: ['tests/cli/config.spec.ts'],
  },
  {
    file: 'adapters/engines/egress/addresses.ts',
    line: "  '169.254.0.0/16',",
    mutant: '',
    specs: ['tests/egress/egress.spec.ts'],
  },
  // Credentials of callers
  {
    file: 'adapters/inbound/api/api-key-authentication.ts',
    line: 'if (allowedCidrs.length > 0 && !within(allowedCidrs)(ip)) return undefined',
    mutant: '',
    specs: ['tests/http/api/api-keys.spec.ts', 'tests/http/api-keys-everywhere.spec.ts'],
  },
  {
    file: 'adapters/inbound/scim/endpoints.ts',
    line: "if (!scopes.includes('scim')) throw new ScimError(403, null, 'The API key lacks the scope scim.')",
    mutant: '',
    specs: ['tests/protocol/scim/server.spec.ts', 'tests/http/api-keys-everywhere.spec.ts'],
  },
  {
    file: 'adapters/inbound/scim/endpoints.ts',
    line: "if (!allows(roles, ['user_admin']))",
    mutant: 'if (false)',
    specs: ['tests/protocol/scim/server.spec.ts'],
  },
  {
    file: 'adapters/engines/vault/hash.ts',
    line: 'a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))',
    mutant: 'a.length === b.length && a.slice(0, 8) === b.slice(0, 8)',
    specs: ['tests/vault/seals.spec.ts'],
  },
  {
    file: 'adapters/inbound/oidc/client-authentication.ts',
    line: "const application = named?.status === 'active' ? named : null",
    mutant: 'const application = named ?? null',
    specs: ['tests/protocol/attacks/client-secrets.spec.ts', 'tests/protocol/oidc/withdrawals.spec.ts'],
  },
  {
    file: 'adapters/inbound/oidc/client-authentication.ts',
    line: '.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)',
    mutant: '',
    specs: ['tests/protocol/oidc/token.spec.ts', 'tests/protocol/oidc/application-settings.spec.ts'],
  },
  // OpenID Connect
  {
    file: 'domain/oidc/pkce.ts',
    line: "if (method !== 'S256') return 'code_challenge_method must be S256'",
    mutant: "if (method === 'plain') return 'code_challenge_method must be S256'",
    specs: ['tests/domain/oidc/rules.spec.ts', 'tests/domain/oidc/requests.spec.ts'],
  },
  {
    file: 'domain/oidc/pkce.ts',
    line: '? verifier === undefined',
    mutant: '? true',
    specs: ['tests/domain/oidc/rules.spec.ts'],
  },
  {
    file: 'domain/application/redirect-uri.ts',
    line: "if (type !== 'native') return false",
    mutant: '',
    specs: ['tests/domain/redirect-uri.spec.ts'],
  },
  {
    file: 'adapters/inbound/oidc/codes.ts',
    line: "if (code.redirectUri !== request.redirectUri) return 'redirect_uri differs from the one authorized'",
    mutant: '',
    specs: ['tests/protocol/oidc/token.spec.ts'],
  },
  {
    file: 'adapters/inbound/oidc/codes.ts',
    line: "if (code.applicationId !== applicationId) return 'the code was issued to another client'",
    mutant: '',
    specs: ['tests/protocol/attacks/codes.spec.ts'],
  },
  {
    file: 'domain/grant/decider.ts',
    line: "return inGrace ? accept() : revoked(parties, 'refresh_token_reused')",
    mutant: "return inGrace ? accept() : refuse('ERR_CONFLICT', 'The refresh token was used before.')",
    specs: ['tests/domain/grant.spec.ts'],
  },
  {
    file: 'adapters/engines/vault/recently-sealed.ts',
    line: 'if (entry?.key !== key || entry.aad !== aad) return undefined',
    mutant: 'if (entry?.key !== key) return undefined',
    specs: ['tests/vault/person-keys.spec.ts'],
  },
  {
    file: 'adapters/engines/vault/recently-sealed.ts',
    line: 'if (entry?.key !== key || entry.aad !== aad) return undefined',
    mutant: 'if (entry?.aad !== aad) return undefined',
    specs: ['tests/vault/person-keys.spec.ts'],
  },
  {
    file: 'adapters/application/sign-in/token-check.ts',
    line: 'if (!sessionHolds || !hasSignIn(state) || state.isRevoked)',
    mutant: 'if (!sessionHolds || !hasSignIn(state))',
    specs: ['tests/protocol/oidc/revocation.spec.ts'],
  },
  {
    file: 'adapters/application/sign-in/token-check.ts',
    line: 'return state.isMember || isOpenToAll(application)',
    mutant: 'return state.status === "active"',
    specs: ['tests/protocol/oidc/withdrawals.spec.ts'],
  },
  {
    file: 'adapters/inbound/oidc/introspection.ts',
    line: 'audience.includes(identifier) && ownerApplicationIds.includes(asker.id),',
    mutant: 'audience.includes(identifier),',
    specs: ['tests/protocol/oidc/introspection.spec.ts'],
  },
  // SAML
  {
    file: 'domain/saml/authn-request.ts',
    line: 'return acsUrls.includes(acsUrl)',
    mutant: 'return acsUrls.some((url) => acsUrl.startsWith(new URL(url).origin))',
    specs: ['tests/domain/saml/authn-request.spec.ts'],
  },
  {
    file: 'domain/saml/authn-request.ts',
    line: 'if (Math.abs(nowMs - issuedMs) > REQUEST_SKEW_SECONDS * 1000)',
    mutant: 'if (issuedMs - nowMs > REQUEST_SKEW_SECONDS * 1000)',
    specs: ['tests/domain/saml/authn-request.spec.ts'],
  },
  {
    file: 'adapters/kernel/xml.ts',
    line: "parser.on('doctype', () => refuse('expected XML without a document type (DOCTYPE)'))",
    mutant: '',
    specs: ['tests/protocol/saml/xml.spec.ts'],
  },
  // Users, roles and sign-in methods
  {
    file: 'domain/user/decider.ts',
    line: "by === 'system' || state.roles.length === 0 || by.includes('global_admin')",
    mutant: "by === 'system' || !state.roles.includes('global_admin') || by.includes('global_admin')",
    specs: ['tests/domain/user.spec.ts'],
  },
  {
    file: 'domain/user/enrollment.ts',
    line: "if (link === null || now >= link.expiresAt) return refuse('ERR_LINK_EXPIRED')",
    mutant: "if (link === null) return refuse('ERR_LINK_EXPIRED')",
    specs: ['tests/domain/user-methods.spec.ts'],
  },
  {
    file: 'adapters/application/sign-in/method-use.ts',
    line: 'where u.sign_count < excluded.sign_count',
    mutant: 'where u.sign_count <= excluded.sign_count',
    specs: ['tests/http/auth/codes.spec.ts', 'tests/http/auth/passkeys.spec.ts'],
  },
  {
    file: 'adapters/application/sign-in/webauthn/attestation.ts',
    line: '      issuer.ca &&',
    mutant: '',
    specs: ['tests/http/auth/security-keys.spec.ts'],
  },
  {
    file: 'adapters/application/sign-in/webauthn/attestation.ts',
    line: 'if (!isInForce(certificate, at)) return false',
    mutant: '',
    specs: ['tests/http/auth/security-keys.spec.ts'],
  },
  // Terminals that act with the roles of their user
  {
    file: 'adapters/inbound/api/authenticate.ts',
    line: "if (token.adminProof === undefined) throw new DomainError('ERR_UNAUTHENTICATED', NOT_ADMIN)",
    mutant: '',
    specs: ['tests/http/auth/admin-tokens.spec.ts'],
  },
  {
    file: 'adapters/inbound/api/authenticate.ts',
    line: 'const isWithheld = configuration.settings.requireStrongForAdmins && !isStrong(state)',
    mutant: 'const isWithheld = false',
    specs: ['tests/http/auth/admin-tokens.spec.ts'],
  },
  {
    file: 'adapters/inbound/sign-in/device-approvals.ts',
    line: 'if (isAdminGrant(login)) await mustAdminister(person)',
    mutant: '',
    specs: ['tests/http/auth/admin-tokens.spec.ts'],
  },
  {
    file: 'adapters/inbound/sign-in/device-approvals.ts',
    line: 'await prove(person)',
    mutant: '',
    specs: ['tests/http/auth/admin-tokens.spec.ts'],
  },
  {
    file: 'adapters/inbound/oidc/clients.ts',
    line: "? servedScopes.filter((name) => name !== 'offline_access' || grantTypes.includes('refresh_token'))",
    mutant: '? [...servedScopes, ADMIN_SCOPE]',
    specs: ['tests/http/auth/admin-tokens.spec.ts'],
  },
  {
    file: 'domain/oidc/scopes.ts',
    line: "if (isAdmin && (requested.has('offline_access') || targets.size > 0))",
    mutant: 'if (false)',
    specs: ['tests/http/auth/admin-tokens.spec.ts'],
  },
  {
    file: 'read-models/queries/sign-in-state.ts',
    line: 'and i.from_position <= $2) order by n) as roles',
    mutant: 'or true) order by n) as roles',
    specs: ['tests/http/auth/admin-tokens.spec.ts'],
  },
  // Proofs, roles that are granted later, and unknown devices
  {
    file: 'domain/session/proof.ts',
    line: "if (strongerOf(proofOf(methods), held) !== proofOf(methods)) return 'stronger'",
    mutant: '',
    specs: ['tests/domain/session-proof.spec.ts'],
  },
  {
    file: 'domain/session/proof.ts',
    line: "return raisedSince || authTime < notBefore ? 'again' : null",
    mutant: "return authTime < notBefore ? 'again' : null",
    specs: ['tests/domain/session-proof.spec.ts', 'tests/http/strength.spec.ts'],
  },
  {
    file: 'domain/session/authentication.ts',
    line: 'strongerOf(proofOf(earlier), proofOf(proof)) === proofOf(proof)',
    mutant: 'true',
    specs: ['tests/domain/authentication.spec.ts', 'tests/domain/session-proof.spec.ts'],
  },
  {
    file: 'domain/user/decider.ts',
    line: 'return { ...state, roles: data.roles, raises: state.raises + 1, link: null }',
    mutant: 'return { ...state, roles: data.roles, raises: state.raises + 1 }',
    specs: ['tests/domain/user-raise.spec.ts'],
  },
  {
    file: 'domain/user/enrollment.ts',
    line: 'state.profile.email === email && state.raises === raises',
    mutant: 'state.profile.email === email',
    specs: ['tests/domain/user-raise.spec.ts'],
  },
  {
    file: 'adapters/inbound/http/repeat.ts',
    line: 'const name = digest(credential.type, credential.id, key)',
    mutant: 'const name = digest(key)',
    specs: ['tests/http/idempotency.spec.ts', 'tests/http/session-proofs.spec.ts'],
  },
  {
    file: 'domain/user/wrong-codes.ts',
    line: "from === '' ? null : fewerThan(maxADayFromOne, fromHere, now),",
    mutant: '',
    specs: ['tests/domain/wrong-codes.spec.ts'],
  },
  {
    file: 'adapters/inbound/http/json.ts',
    line: 'if (count > tokens)',
    mutant: 'if (count > tokens * 10)',
    specs: ['tests/http/work-limits.spec.ts'],
  },
  {
    file: 'adapters/kernel/xml.ts',
    line: 'if (++ofElement > limits.attributes)',
    mutant: 'if (++ofElement > limits.attributes * 10)',
    specs: ['tests/http/work-limits.spec.ts', 'tests/protocol/saml/xml.spec.ts'],
  },
  // What waits for an identity provider, or for its user
  {
    file: 'adapters/inbound/sign-in/pending-links.ts',
    line: "if (decided.decision !== 'confirm' || decided.userId !== userId) return false",
    mutant: '',
    specs: ['tests/protocol/federation/overtaken.spec.ts'],
  },
  {
    file: 'adapters/inbound/sign-in/pending-links.ts',
    line: 'return before === now',
    mutant: 'return true',
    specs: ['tests/protocol/federation/overtaken.spec.ts'],
  },
  {
    file: 'adapters/inbound/sign-in/federated-sign-in.ts',
    line: "if (provider.linking === 'never') throw new DomainError('ERR_PROVIDER_STATE')",
    mutant: '',
    specs: ['tests/protocol/federation/overtaken.spec.ts'],
  },
  {
    file: 'adapters/inbound/sign-in/federated-sign-in.ts',
    line: "if (caller.newRoles.length > 0) throw new DomainError('ERR_REAUTH_REQUIRED')",
    mutant: '',
    specs: ['tests/protocol/federation/overtaken.spec.ts'],
  },
  {
    file: 'adapters/inbound/sign-in/federated-sign-in.ts',
    line: '...(begunAt === undefined ? {} : { raises: await raisesUntil(pool, user.userId, begunAt) }),',
    mutant: '',
    specs: ['tests/protocol/federation/overtaken.spec.ts'],
  },
  {
    file: 'adapters/inbound/http/security-headers.ts',
    line: 'sandbox: [],',
    mutant: '',
    specs: ['tests/http/branding.spec.ts'],
  },
  // The vault, and outgoing data
  {
    file: 'adapters/engines/vault/aead.ts',
    line: 'decipher.setAAD(Buffer.from(aad)).setAuthTag(box.subarray(box.length - TAG))',
    mutant: 'decipher.setAAD(Buffer.from(aad.slice(0, 4))).setAuthTag(box.subarray(box.length - TAG))',
    specs: ['tests/vault/seals.spec.ts'],
  },
  {
    file: 'adapters/outbound/webhooks/envelope.ts',
    line: '.update(`${at}.${body}`)',
    mutant: '.update(body)',
    specs: ['tests/http/webhooks/delivery.spec.ts'],
  },
  {
    file: 'adapters/outbound/webhooks/run.ts',
    line: '  minimumAge: 5,',
    mutant: '  minimumAge: 4,',
    specs: ['tests/http/webhooks/delivery.spec.ts'],
  },
]

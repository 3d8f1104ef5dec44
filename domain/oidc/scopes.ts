/** RFC 6749 §3.3, OpenID Connect Core §5.4: the scopes that are served. Unknown ones are ignored. */

export const servedScopes = ['openid', 'profile', 'email', 'groups'] as const

export type Scope = (typeof servedScopes)[number]

/** The served scopes among those asked for, each once, in our order. */
export const grantedScopes = (asked: string | undefined): readonly Scope[] => {
  const names = new Set((asked ?? '').split(' '))
  return servedScopes.filter((scope) => names.has(scope))
}

import type { Configuration } from '../../application/services/configuration.ts'

/** The JSON Web Key Set (RFC 7517 §5): the key that signs, the one that will, and those that did. */
export const keySet = ({ signingKeys }: Configuration) => ({
  keys: signingKeys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig', alg: 'RS256' })),
})

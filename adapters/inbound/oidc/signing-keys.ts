import type { Configuration } from '../../application/services/configuration.ts'

/** The JSON Web Key Set (RFC 7517 §5): the active key, the next one, and the previous ones. */
export const keySet = ({ signingKeys }: Configuration) => ({
  keys: signingKeys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig', alg: 'RS256' })),
})

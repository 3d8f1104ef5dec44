/** How the service authenticates at the token endpoint of an identity provider (OpenID Connect Core §9). */
import { importPKCS8 } from 'jose'
import { ClientSecretBasic, ClientSecretPost, PrivateKeyJwt, type ClientAuth } from 'openid-client'
import { IDENTITY_PROVIDER_SECRET } from '../../commands/identity-providers.ts'
import type { ServiceSeals } from '../../../engines/vault/service-seals.ts'
import type { SigningKey } from '../../services/configuration.ts'
import type { OauthProvider } from './provider-protocol.ts'

/**
 * `private_key_jwt` uses the key that signs ID tokens, which the provider finds at the service's `jwks_uri`. The
 * assertion names the client at the provider as its issuer, so that it can be mistaken for no other token.
 * @throws SealBroken for a secret that cannot be decrypted
 */
export const clientAuthenticationOf = async (
  { id, clientAuthentication, sealedSecret }: OauthProvider,
  { vault, activeKey }: { readonly vault: Pick<ServiceSeals, 'open'>; readonly activeKey: SigningKey | null },
): Promise<ClientAuth> => {
  if (clientAuthentication === 'private_key_jwt') {
    if (activeKey === null) throw new Error('there is no active signing key')
    const { privateKey, kid } = activeKey
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    return PrivateKeyJwt({ key: await importPKCS8(pem, 'RS256'), kid })
  }
  const secret = vault.open(IDENTITY_PROVIDER_SECRET, sealedSecret ?? '', id).toString()
  return clientAuthentication === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret)
}

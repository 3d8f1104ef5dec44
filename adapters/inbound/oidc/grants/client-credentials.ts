/** RFC 6749 §4.4, RFC 8707 §2: a service acts for itself. Nothing is recorded, because nothing is single-use. */
import { decideScopes, stillGranted } from '../../../../domain/oidc/scopes.ts'
import type { ClientCredentialsRequest } from '../../../../domain/oidc/token-request.ts'
import { newId } from '../../../kernel/ids.ts'
import { scopeClientOf } from '../clients.ts'
import { TokenError } from '../protocol-errors.ts'
import type { Client, TokenResponse, TokenResponses } from '../token-response.ts'

/** @throws TokenError invalid_scope, invalid_target */
export const clientCredentialsGrant =
  (responses: TokenResponses) =>
  ({ scope, resources }: ClientCredentialsRequest, client: Client): Promise<TokenResponse> => {
    const scopeClient = scopeClientOf(client.application, client.configuration)
    const decided = decideScopes(scope, resources, scopeClient)
    if ('error' in decided) throw new TokenError(decided.error, decided.description)
    return responses.forApplication(newId('grant'), stillGranted(decided.granted, scopeClient), client)
  }

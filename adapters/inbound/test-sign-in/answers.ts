/** What an application would receive for a user, made by the functions that make the real answers. */
import { accessTokenFormatOf } from '../../../domain/application/access-token-format.ts'
import { grantTypesOf } from '../../../domain/application/grant-types.ts'
import { claimsFor } from '../../../domain/oidc/claims.ts'
import { stillGranted, type GrantedScopes } from '../../../domain/oidc/scopes.ts'
import { assertionResponse } from '../../../domain/saml/response.ts'
import { attributesOf, canBeNamed, nameIdOf } from '../../../domain/saml/subject.ts'
import type {
  OidcApplicationConfiguration,
  SamlApplicationConfiguration,
} from '../../../read-models/queries/configuration.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import { isOffline } from '../../application/sign-in/references.ts'
import type { Services } from '../../application/services/services.ts'
import { accessTokenTerms } from '../oidc/access-tokens.ts'
import { scopeClientOf } from '../oidc/clients.ts'
import { idTokenClaims } from '../oidc/id-tokens.ts'
import type { Client } from '../oidc/token-response.ts'
import { sentXml } from '../saml/markup.ts'
import { idpEntityId } from '../saml/metadata.ts'
import { assertionXml } from '../saml/response-xml.ts'
import type { Entrance } from '../sign-in/sign-in-protocol.ts'
import type { TestedAnswer } from '../sign-in/test-report.ts'

type AnswerServices = Pick<Services, 'clock' | 'publicUrl'>

/** Ids of documents that are never sent. */
const EXAMPLE_ID = '_test'

export const oidcAnswer = (
  { clock, publicUrl }: AnswerServices,
  { application, configuration }: Client & { readonly application: OidcApplicationConfiguration },
  requested: GrantedScopes,
  { session, state }: Entrance,
): TestedAnswer => {
  const granted = stillGranted(requested, scopeClientOf(application, configuration))
  const { scopes } = granted
  const signsIn = scopes.includes('openid')
  const { lifetimeSeconds, audience } = accessTokenTerms(granted, { application, configuration }, publicUrl)
  return {
    protocol: 'oidc',
    idToken: signsIn
      ? {
          ...idTokenClaims({
            issuer: publicUrl,
            application,
            session: { sessionId: session.sessionId, authTime: session.authTime },
            strength: state.strength,
            iat: epochSeconds(clock.now()),
          }),
          ...claimsFor(scopes, session.userId, state),
        }
      : null,
    userinfo: signsIn ? { ...claimsFor(scopes, session.userId, state) } : null,
    accessToken: {
      format: accessTokenFormatOf(application.type, application.apiGrants),
      audience,
      scopes,
      lifetimeSeconds,
    },
    hasRefreshToken: isOffline({ scopes }) && grantTypesOf(application.type).includes('refresh_token'),
  }
}

/** Returns null if the user cannot be named in the format of the application. */
export const samlAnswer = (
  { clock, publicUrl }: AnswerServices,
  { saml }: SamlApplicationConfiguration,
  acsUrl: string,
  { session, state }: Entrance,
): TestedAnswer | null => {
  if (!canBeNamed(saml.nameIdFormat, state)) return null
  const person = { userId: session.userId, ...state }
  const nameId = nameIdOf(saml.nameIdFormat, person)
  const attributes = attributesOf(saml.attributeNames, person)
  const { assertion } = assertionResponse({
    issuer: idpEntityId(publicUrl),
    acsUrl,
    inResponseTo: null,
    responseId: EXAMPLE_ID,
    assertionId: EXAMPLE_ID,
    audience: saml.entityId,
    nameId,
    attributes,
    session: {
      sessionId: session.sessionId,
      authTime: state.authTime,
      expiresAt: saml.sessionNotOnOrAfter ? session.expiresAt : null,
    },
    nowMs: Date.parse(clock.now()),
  })
  return assertion === null
    ? null
    : { protocol: 'saml', nameId, attributes, xml: sentXml(assertionXml(assertion, null)) }
}

import { Type } from 'typebox'
import { nullable, Time } from '../http/schemas.ts'

const text = Type.Optional(Type.String())
const Claims = Type.Record(Type.String(), Type.Unknown())

export const ProviderTest = Type.Object(
  {
    time: Time,
    problem: nullable(Type.String({ description: 'why the response was not accepted' })),
    claims: nullable(Claims),
    identity: nullable(
      Type.Object(
        {
          subject: Type.String(),
          email: nullable(Type.String()),
          emailVerified: nullable(Type.Boolean()),
          profile: Type.Object({
            name: text,
            givenName: text,
            familyName: text,
            department: text,
            title: text,
          }),
          groups: nullable(Type.Array(Type.String())),
          authentication: Type.Array(Type.String({ description: 'acr and amr' })),
        },
        { description: 'what the mapping makes of the claims' },
      ),
    ),
    account: nullable(
      Type.Object(
        {
          decision: Type.Enum(['sign_in', 'enroll', 'link', 'confirm', 'create', 'refuse']),
          code: nullable(Type.String({ description: 'the error of a refusal' })),
          userId: nullable(Type.String()),
        },
        { description: 'what a sign-in would do' },
      ),
    ),
    groupIds: Type.Array(Type.String(), {
      description: 'groups that the user would be in through the provider',
    }),
    isPhishingResistant: Type.Boolean(),
    authTime: nullable(Time),
  },
  { title: 'IdentityProviderTest' },
)

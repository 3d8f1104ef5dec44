/** Schemas that the routes for sign-in and for the user's own account share. */
import { Type } from 'typebox'
import { DASHES } from '../http/character-classes.ts'
import { fields } from '../http/route.ts'
import { EmailAddress, line, printable } from '../http/schemas.ts'

const MAX_CEREMONY = 4096
const MAX_CREDENTIAL_ID = 1400

/** The reference that was returned with the options. */
const CeremonyId = printable(MAX_CEREMONY, 'as returned with the options')

const base64Url = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' })
const Base64Url = base64Url(65_536)
/** A value from a specification, possibly from a later version. */
const Word = printable(64)

const CredentialId = Type.String({ minLength: 1, maxLength: MAX_CREDENTIAL_ID, pattern: '^[A-Za-z0-9_-]+$' })

/** The fields of every credential (Level 3 §5.1, toJSON). Fields that browsers add later must not break a sign-in. */
const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.Union([Word, Type.Null()])),
  clientExtensionResults: Type.Optional(Type.Object({}, { additionalProperties: true })),
}
const open = { additionalProperties: true }

const RegistrationResponse = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: Base64Url,
        attestationObject: Base64Url,
        transports: Type.Optional(Type.Array(Word, { maxItems: 20 })),
      },
      open,
    ),
  },
  { ...open, title: 'RegistrationResponseJSON', description: 'WebAuthn Level 3 §5.1.8' },
)

const AuthenticationResponse = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: Base64Url,
        authenticatorData: Base64Url,
        signature: Base64Url,
        userHandle: Type.Optional(base64Url(100)),
      },
      open,
    ),
  },
  { ...open, title: 'AuthenticationResponseJSON', description: 'WebAuthn Level 3 §5.1.8' },
)

export const PasskeyName = line(100, 'Laptop')
export const DEFAULT_PASSKEY_NAME = 'My passkey'

export const DEFAULT_AUTHENTICATOR_NAME = 'Authenticator app'

/** Separators that users and keyboards add to a code; they are ignored. */
const GAP = `[\\s${DASHES}]*`
const DIGITS = `(?:[0-9\\uff10-\\uff19]${GAP}){6}`
/** Crockford's base32, and the letters that it reads as digits. */
const LETTERS = `(?:[0-9A-TV-Za-tv-z\\uff10-\\uff19\\uff21-\\uff34\\uff36-\\uff3a\\uff41-\\uff54\\uff56-\\uff5a]${GAP}){10}`

/** A code as entered; spaces, hyphens and letter case are ignored. */
const typedCode = (form: string, title: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 64, pattern: `^${GAP}${form}$`, title, examples: [example] })

export const AuthenticatorCode = typedCode(DIGITS, 'the six digits that the app shows', '123456')
export const TypedCode = typedCode(
  `(?:${DIGITS}|${LETTERS})`,
  'six digits of an authenticator app, or a recovery code',
  '7k2pq-9xw4m',
)

/** Any address as entered: the response does not reveal whether a user has it. */
export const TypedAddress = Type.String({
  minLength: 1,
  maxLength: 254,
  pattern: '^[^\\u0000]+$',
  title: 'an email address',
})

/** The secret of a link. */
export const LinkToken = printable(256)

/** Only for the first administrator, whose account has no profile yet. */
export const Introduction = Type.Optional(
  Type.Object(
    { email: EmailAddress, name: line(200, 'Ada Lovelace') },
    {
      additionalProperties: false,
      description: 'required if `asksProfile` is true, otherwise rejected',
    },
  ),
)

/** The label of the new method on the user's device */
export const Labelled = fields({ profile: Introduction })

/** The secret of an authenticator app, and the reference to send back with its first code. */
export const AuthenticatorSetup = Type.Object(
  {
    ceremonyId: Type.String(),
    secret: Type.String({ description: 'base32' }),
    otpauthUri: Type.String({ description: 'the content of the QR code' }),
  },
  { title: 'AuthenticatorSetup' },
)

export const AuthenticatorBody = fields({
  ceremonyId: CeremonyId,
  code: AuthenticatorCode,
  name: Type.Optional(PasskeyName),
})

export const EnrollmentAuthenticatorBody = fields({ ...AuthenticatorBody.properties, profile: Introduction })

/** Shown only once. */
export const RecoveryCodes = Type.Array(Type.String({ examples: ['7k2pq-9xw4m'] }))

export const AuthRequestId = printable(128)

/** The kind of method to add; default: a passkey. */
export const RegistrationKind = fields({
  kind: Type.Optional(
    Type.Enum(['passkey', 'security_key'], { description: 'security_key: a portable key' }),
  ),
})

export const EnrollmentKind = fields({ ...RegistrationKind.properties, profile: Introduction })

export const RegistrationBody = fields({
  ceremonyId: CeremonyId,
  credential: RegistrationResponse,
  name: Type.Optional(PasskeyName),
})

export const EnrollmentBody = fields({ ...RegistrationBody.properties, profile: Introduction })

export const AuthenticationBody = fields({
  ceremonyId: CeremonyId,
  credential: AuthenticationResponse,
  authRequestId: Type.Optional(AuthRequestId),
})

/** Options for the browser's `navigator.credentials`, and the reference to send back with its response. */
export const Ceremony = Type.Object(
  { ceremonyId: Type.String(), publicKey: Type.Object({ challenge: Type.String() }, open) },
  { title: 'Ceremony' },
)

const signedIn = {
  status: Type.Literal('signed_in'),
  user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
  redirectTo: Type.String({ description: 'where the browser continues' }),
}

export const SignedIn = Type.Object(signedIn, { title: 'SignedIn' })
export const SignedInWithCodes = Type.Object(
  { ...signedIn, recoveryCodes: RecoveryCodes },
  { title: 'SignedInWithCodes' },
)

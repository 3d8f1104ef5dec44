import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { methodTypes, noAttestation } from '../../../domain/method-settings/decider.ts'
import type { AuthenticatorOptions } from '../../../domain/method-settings/events.ts'
import { methodSettingsChanged } from '../../../read-models/queries/method-settings.ts'
import type { Services } from '../../application/services/services.ts'
import { updateMethodSettings } from '../../application/commands/method-settings.ts'
import { fields, idOf, oneOf, route, type Route } from '../http/route.ts'
import { readCertificate } from '../../application/sign-in/webauthn/attestation.ts'
import { actorOf } from '../http/actor.ts'
import { nullable, proven, readBack, readers, Time, Version, writers } from '../http/schemas.ts'

const tag = 'Sign-in methods'
const params = fields({ type: Type.Enum([...methodTypes]) })

const AAGUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

const Aaguid = Type.String({ pattern: AAGUID, title: 'an AAGUID, written as a UUID' })

const Certificate = Type.String({
  minLength: 1,
  maxLength: 8192,
  pattern: '^\\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----\\s*$',
  title: 'a certificate in PEM',
})

const rootsLimits = {
  maxItems: 20,
  uniqueItems: true,
  description:
    'Trusted root certificates of manufacturers, in PEM. At least one with attestation direct; none without it.',
}

const options = {
  attestation: Type.Enum(['none', 'direct'], {
    description:
      `Whether authenticators must prove their model. With direct, the attestation must include a certificate that chains to one of attestationRoots. The service rejects authenticators that send no attestation (synced passkeys send none) or self-attestation.`.replaceAll(
        '\n',
        ' ',
      ),
  }),
  attestationRoots: Type.Array(Type.String(), rootsLimits),
  allowedAaguids: Type.Array(Aaguid, {
    maxItems: 200,
    uniqueItems: true,
    description:
      'Authenticator models that can be registered; if empty, every model with a valid attestation. Requires attestation direct.',
  }),
  userVerification: Type.Enum(['required', 'preferred'], {
    description:
      'preferred, for security keys only: a key without a PIN or fingerprint reader can be used. Sign-in then requests "preferred" from every authenticator; passkeys without user verification are still rejected.',
  }),
}

export const MethodSetting = Type.Object(
  {
    type: Type.Enum([...methodTypes]),
    enabled: Type.Boolean(),
    allowedGroupIds: nullable(Type.Array(idOf('group'))),
    options: nullable(Type.Object(options)),
    updatedAt: nullable(Time),
    version: Version,
  },
  { title: 'MethodSetting' },
)

/** @throws DomainError ERR_INVALID naming the first invalid certificate */
const rootsFrom = (sent: readonly string[]): readonly string[] => {
  const certificates = sent.map((pem, index) => {
    const certificate = readCertificate(pem)
    if (certificate !== null) return certificate
    const field = `options/attestationRoots/${String(index)}`
    throw new DomainError('ERR_INVALID', `${field}: expected an X.509 certificate in PEM`, `/${field}`)
  })
  return [...new Set(certificates)]
}

const optionsFrom = (sent: {
  attestation?: 'none' | 'direct' | undefined
  attestationRoots?: readonly string[] | undefined
  allowedAaguids?: readonly string[] | undefined
  userVerification?: 'required' | 'preferred' | undefined
}): AuthenticatorOptions => ({
  attestation: sent.attestation ?? noAttestation.attestation,
  attestationRoots: rootsFrom(sent.attestationRoots ?? []),
  allowedAaguids: [...new Set((sent.allowedAaguids ?? []).map((aaguid) => aaguid.toLowerCase()))],
  userVerification: sent.userVerification ?? noAttestation.userVerification,
})

/** Routes for the settings of sign-in methods: which are enabled, for which users, and with which requirements. */
export const methodRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'clock' | 'configuration'>,
): readonly Route[] => {
  const { pool, configuration } = services
  const update = updateMethodSettings(services)

  const list = async () => {
    const [changed, { methods }] = await Promise.all([methodSettingsChanged(pool), configuration.fresh()])
    // All settings share one version, which each change increases.
    const version = Math.max(0, ...changed.map((row) => row.version))
    return methodTypes.map((type) => {
      const { enabled, allowedGroupIds, options: typeOptions } = methods[type]
      const updatedAt = changed.find((row) => row.type === type)?.updatedAt ?? null
      const groups = allowedGroupIds as readonly `grp_${string}`[] | null
      return { type, enabled, allowedGroupIds: groups, options: typeOptions, updatedAt, version }
    })
  }

  return [
    route({
      method: 'GET',
      path: '/methods',
      tag,
      summary: 'List the settings of sign-in methods',
      access: readers,
      result: Type.Array(MethodSetting),
      status: 200,
      errors: [],
      handle: async () => ({ body: await list() }),
    }),
    route({
      method: 'PATCH',
      path: '/methods/{type}',
      tag,
      summary: 'Update the settings of a sign-in method',
      description:
        `A method that is disabled, or not allowed for the user's groups, cannot be added or used to sign in; existing sessions continue. At least one method besides recovery codes must stay enabled, and every global administrator must keep an allowed passkey, security key, authenticator app or linked account, unless force is true. The version covers the settings of all methods.`.replaceAll(
          '\n',
          ' ',
        ),
      access: proven(writers('security_admin')),
      params,
      body: fields({
        enabled: Type.Optional(Type.Boolean()),
        allowedGroupIds: Type.Optional(
          nullable(
            Type.Array(idOf('group'), {
              minItems: 1,
              maxItems: 100,
              uniqueItems: true,
              description: 'Only members of these groups can use the method; null: all users.',
            }),
          ),
        ),
        options: Type.Optional(
          oneOf(
            [
              fields(
                {
                  attestation: Type.Optional(Type.Literal('none')),
                  attestationRoots: Type.Optional(Type.Array(Certificate, { maxItems: 0 })),
                  allowedAaguids: Type.Optional(Type.Array(Aaguid, { maxItems: 0 })),
                  userVerification: Type.Optional(options.userVerification),
                },
                { title: 'NoAttestationInput' },
              ),
              fields(
                {
                  attestation: Type.Literal('direct'),
                  attestationRoots: Type.Array(Certificate, { ...rootsLimits, minItems: 1 }),
                  allowedAaguids: Type.Optional(options.allowedAaguids),
                  userVerification: Type.Optional(options.userVerification),
                },
                { title: 'DirectAttestationInput' },
              ),
            ],
            { description: 'Replaced as a whole: omitted options are reset to their defaults.' },
          ),
        ),
        force: Type.Optional(
          Type.Boolean({
            description: 'Save even if global administrators are left without a sign-in method',
          }),
        ),
      }),
      result: MethodSetting,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['method.settings.update'],
      handle: async (request) => {
        const { params: pathParams, body } = request
        const { enabled, allowedGroupIds, force = false } = body
        const { version } = await update(
          pathParams.type,
          {
            ...(enabled === undefined ? {} : { enabled }),
            ...(allowedGroupIds === undefined ? {} : { allowedGroupIds }),
            ...(body.options === undefined ? {} : { options: optionsFrom(body.options) }),
          },
          force,
          actorOf(request),
        )
        const row = list().then((rows) => rows.find(({ type }) => type === pathParams.type) ?? null)
        return { body: await readBack(row, version) }
      },
    }),
  ]
}

import { Type } from 'typebox'
import { methodTypes } from '../../domain/method-settings/decider.ts'
import type { AuthenticatorOptions } from '../../domain/method-settings/events.ts'
import { methodSettingsChanged } from '../../read-models/queries/method-settings.ts'
import type { Services } from '../commands/deps.ts'
import { updateMethodSettings } from '../commands/method-settings.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from './actor.ts'
import { nullable, readBack, readers, Time, Version, writers } from './schemas.ts'

const tag = 'Sign-in methods'
const params = fields({ type: Type.Enum([...methodTypes]) })

const AAGUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

const options = {
  attestation: Type.Enum(['none', 'direct'], {
    description:
      `Whether authenticators have to say what make they are. With direct, one that sends no attestation is
refused (passkeys kept by Apple send none). Checked is the signature of the statement, and that a certificate in it
names the same AAGUID. The chain of certificates is checked for Apple's and Android's formats only, whose roots the
service knows; it knows no roots of makers of security keys and takes self attestation, so that software made for the
purpose can claim to be any of those.`.replaceAll('\n', ' '),
  }),
  allowedAaguids: Type.Array(Type.String({ pattern: AAGUID, title: 'an AAGUID, written as a UUID' }), {
    maxItems: 200,
    uniqueItems: true,
    description: 'Makes that may be registered; every one when empty. Needs attestation direct.',
  }),
  userVerification: Type.Enum(['required', 'preferred'], {
    description:
      'preferred, for security keys only: one without a PIN or fingerprint reader may be used. Sign-in then asks every authenticator so, and a passkey that leaves verification out is refused as ever.',
  }),
}

const MethodSetting = Type.Object(
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

const noOptions: AuthenticatorOptions = {
  attestation: 'none',
  allowedAaguids: [],
  userVerification: 'required',
}

const optionsFrom = (sent: {
  attestation?: 'none' | 'direct' | undefined
  allowedAaguids?: readonly string[] | undefined
  userVerification?: 'required' | 'preferred' | undefined
}): AuthenticatorOptions => ({
  attestation: sent.attestation ?? noOptions.attestation,
  allowedAaguids: [...new Set((sent.allowedAaguids ?? []).map((aaguid) => aaguid.toLowerCase()))],
  userVerification: sent.userVerification ?? noOptions.userVerification,
})

/** Which ways to sign in there are, for whom, and what is asked of them. */
export const methodRoutes = (services: Services): readonly Route[] => {
  const { pool, configuration } = services
  const update = updateMethodSettings(services)

  const list = async () => {
    const [changed, { methods }] = await Promise.all([methodSettingsChanged(pool), configuration.fresh()])
    // They are changed as one: each change is a new version of all of them.
    const version = Math.max(0, ...changed.map((row) => row.version))
    return methodTypes.map((type) => {
      const { enabled, allowedGroupIds, options: asked } = methods[type]
      const updatedAt = changed.find((row) => row.type === type)?.updatedAt ?? null
      const groups = allowedGroupIds as readonly `grp_${string}`[] | null
      return { type, enabled, allowedGroupIds: groups, options: asked, updatedAt, version }
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
      summary: 'Change the settings of a sign-in method',
      description:
        `A method that is off, or not for a person's groups, can neither be added nor signed in with; sessions
that were opened with it go on. At least one method besides recovery codes stays on, and every global administrator
keeps a passkey, security key, authenticator app or linked account that they may use, unless force is true. The version
is of the settings of all methods together.`.replaceAll('\n', ' '),
      access: writers('security_admin'),
      params,
      body: fields({
        enabled: Type.Optional(Type.Boolean()),
        allowedGroupIds: Type.Optional(
          nullable(
            Type.Array(idOf('group'), {
              maxItems: 100,
              uniqueItems: true,
              description: 'Only their members may use the method; null: everybody.',
            }),
          ),
        ),
        options: Type.Optional(
          fields(
            {
              attestation: Type.Optional(options.attestation),
              allowedAaguids: Type.Optional(options.allowedAaguids),
              userVerification: Type.Optional(options.userVerification),
            },
            { description: 'Replaced as a whole: what is left out is as it was at the beginning.' },
          ),
        ),
        force: Type.Optional(
          Type.Boolean({
            description: 'Even though global administrators are left without a way to sign in',
          }),
        ),
      }),
      result: MethodSetting,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['method.settings.update'],
      handle: async (request) => {
        const { params: asked, body } = request
        const { enabled, allowedGroupIds, force = false } = body
        const { version } = await update(
          asked.type,
          {
            ...(enabled === undefined ? {} : { enabled }),
            ...(allowedGroupIds === undefined ? {} : { allowedGroupIds }),
            ...(body.options === undefined ? {} : { options: optionsFrom(body.options) }),
          },
          force,
          actorOf(request),
        )
        const row = list().then((rows) => rows.find(({ type }) => type === asked.type) ?? null)
        return { body: await readBack(row, version) }
      },
    }),
  ]
}

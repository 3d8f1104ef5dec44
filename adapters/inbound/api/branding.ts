import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { logoTypes, MAX_LOGO_BYTES } from '../../../domain/logo.ts'
import { readLogo } from '../../../read-models/queries/logos.ts'
import { brandingCommands } from '../../application/commands/branding.ts'
import { logoPath } from '../../application/services/logo-path.ts'
import type { Services } from '../../application/services/services.ts'
import {
  logoImages,
  logoQuery,
  logoUpload,
  LONG,
  SHORT,
  UPLOAD_RULES,
  UploadedLogo,
  uploadedImage,
} from './logo-images.ts'
import { themeCss } from './theme.ts'
import { actorOf } from '../http/actor.ts'
import { done, fields, route, type Route } from '../http/route.ts'
import { nullable, printable, proven, writers } from '../http/schemas.ts'

const path = '/branding/logo'

export const Color = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  title: 'a colour in hexadecimal',
  examples: ['#0f5f66'],
})

/** Routes for what makes the organization's pages and emails recognizable. */
export const brandingRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'configuration' | 'publicUrl'>,
): readonly Route[] => {
  const { pool, configuration, publicUrl } = services
  const { setLogo, deleteLogo, setAccentColor } = brandingCommands(services)

  const image = logoImages(MAX_LOGO_BYTES)

  return [
    route({
      method: 'GET',
      path,
      tag: 'Public information',
      summary: 'Get the logo of the organization',
      access: { credentials: ['none'] },
      query: logoQuery,
      produces: logoTypes,
      status: 200,
      errors: ['ERR_NOT_FOUND'],
      handle: async ({ query }) => {
        const { logo } = await configuration.fresh()
        return image(logo, query.v, () => readLogo(pool))
      },
    }),
    route({
      method: 'PUT',
      path,
      tag: 'Settings',
      summary: 'Change the logo of the organization',
      description: UPLOAD_RULES,
      access: proven(writers('global_admin')),
      upload: logoUpload,
      result: UploadedLogo,
      status: 200,
      errors: ['ERR_TOO_LARGE'],
      audit: ['branding.logo.update'],
      handle: async (request) => {
        const { type, bytes } = uploadedImage(request)
        await setLogo(type, bytes, actorOf(request))
        const { logo } = await configuration.fresh()
        return { body: { logoUrl: logo === null ? '' : publicUrl + logoPath(logo) } }
      },
    }),
    route({
      method: 'DELETE',
      path,
      tag: 'Settings',
      summary: 'Remove the logo of the organization',
      access: proven(writers('global_admin')),
      status: 204,
      errors: [],
      audit: ['branding.logo.delete'],
      handle: async (request) => {
        await deleteLogo(actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/branding/theme.css',
      tag: 'Public information',
      summary: 'Get the style sheet with the accent colour',
      description: 'Variants of the colour that are readable in the light and in the dark theme.',
      access: { credentials: ['none'] },
      query: fields({ v: Type.Optional(printable(64, 'the colour, as in its address')) }),
      produces: ['text/css'],
      status: 200,
      errors: ['ERR_NOT_FOUND'],
      handle: async ({ query }) => {
        const { accentColor } = await configuration.fresh()
        if (accentColor === null) throw new DomainError('ERR_NOT_FOUND')
        const isCurrent = query.v === accentColor.slice(1)
        return {
          content: { type: 'text/css; charset=utf-8', data: themeCss(accentColor) },
          headers: { 'Cache-Control': isCurrent ? LONG : SHORT },
        }
      },
    }),
    route({
      method: 'PUT',
      path: '/branding/accent-color',
      tag: 'Settings',
      summary: 'Change the accent colour',
      description:
        'Of buttons and links on pages and in emails. Any colour can be chosen: pages show it darker or lighter until text is readable in both themes (WCAG 2.2, contrast of at least 4.5:1).',
      access: proven(writers('global_admin')),
      body: fields({ accentColor: nullable(Color) }),
      result: Type.Object({ accentColor: nullable(Type.String()) }, { title: 'AccentColor' }),
      status: 200,
      errors: [],
      audit: ['branding.update'],
      handle: async (request) => {
        await setAccentColor(request.body.accentColor, actorOf(request))
        return { body: { accentColor: (await configuration.fresh()).accentColor } }
      },
    }),
  ]
}

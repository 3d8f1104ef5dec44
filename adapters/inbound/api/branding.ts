import { Type } from 'typebox'
import { MAX_LOGO_BYTES } from '../../../domain/branding/decider.ts'
import { logoTypes, type Logo, type LogoType } from '../../../domain/branding/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import { readLogo } from '../../../read-models/queries/branding.ts'
import { brandingCommands } from '../../application/commands/branding.ts'
import { logoPath } from '../../application/services/logo-path.ts'
import type { Services } from '../../application/services/services.ts'
import { themeCss } from './theme.ts'
import { actorOf } from '../http/actor.ts'
import { done, fields, route, type Route } from '../http/route.ts'
import { nullable, printable, proven, writers } from '../http/schemas.ts'

const path = '/branding/logo'
/** For an address that changes with the content, and for any other */
const LONG = 'public, max-age=31536000, immutable'
const SHORT = 'public, max-age=300'

export const Color = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  title: 'a colour in hexadecimal',
  examples: ['#0f5f66'],
})

/** A logo opened by itself runs nothing and loads nothing; emails show it on other sites. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/** Routes for what makes the organization's pages and emails recognizable. */
export const brandingRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'configuration' | 'publicUrl'>,
): readonly Route[] => {
  const { pool, configuration, publicUrl } = services
  const { setLogo, deleteLogo, setAccentColor } = brandingCommands(services)

  /** Anyone may ask for it, as often as they like: each image is read once. */
  let kept: (Omit<Logo, 'content'> & { readonly content: Buffer }) | null = null

  return [
    route({
      method: 'GET',
      path,
      tag: 'Public information',
      summary: 'Get the logo of the organization',
      access: { credentials: ['none'] },
      query: fields({
        v: Type.Optional(printable(64, 'the version of the logo, as in its address')),
      }),
      produces: logoTypes,
      status: 200,
      errors: ['ERR_NOT_FOUND'],
      handle: async ({ query }) => {
        const { logo } = await configuration.fresh()
        if (logo === null) throw new DomainError('ERR_NOT_FOUND')
        if (kept?.digest !== logo.digest) {
          const read = await readLogo(pool)
          kept = read === null ? null : { ...read, content: Buffer.from(read.content, 'base64') }
        }
        if (kept === null) throw new DomainError('ERR_NOT_FOUND')
        const { mediaType, content, digest } = kept
        const cache = query.v === digest ? LONG : SHORT
        return {
          content: { type: mediaType, data: content },
          headers: { ...headers, 'Cache-Control': cache },
        }
      },
    }),
    route({
      method: 'PUT',
      path,
      tag: 'Settings',
      summary: 'Change the logo of the organization',
      description:
        'PNG, JPEG, WebP or SVG of at most 256 KB. Of an SVG, only what draws is kept: scripts, styles, links and references to other files are dropped.',
      access: proven(writers('global_admin')),
      upload: { types: logoTypes, maxBytes: MAX_LOGO_BYTES },
      result: Type.Object({ logoUrl: Type.String() }, { title: 'Logo' }),
      status: 200,
      errors: ['ERR_TOO_LARGE'],
      audit: ['branding.logo.update'],
      handle: async (request) => {
        const { upload } = request
        if (upload === undefined) throw new DomainError('ERR_INVALID')
        await setLogo(upload.type as LogoType, upload.bytes, actorOf(request))
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

import { Type, type TString } from 'typebox'
import { previewSecurityHeaders } from '../http/security-headers.ts'
import { fields, route, type Route } from '../http/route.ts'
import { EmailAddress, line, readers } from '../http/schemas.ts'
import type { Services } from '../../application/services/services.ts'
import { Color } from './branding.ts'

/** What is drawn, and with which settings. What is undefined is as it is saved. */
export interface PreviewWish {
  readonly page: 'sign_in' | 'email'
  readonly theme: 'light' | 'dark'
  readonly language: 'en' | 'de'
  /** As `isColor` accepts it; null for the colour of the service */
  readonly accentColor: string | null | undefined
  readonly name: string | undefined
  readonly supportEmail: string | null | undefined
}

/** Returns the markup of a document. */
export type DrawPreview = (wish: PreviewWish) => Promise<string>

/** A query has no null. */
const orEmpty = (schema: TString & { pattern?: string }, description: string) =>
  Type.Unsafe<string>({ ...schema, pattern: `^$|${schema.pattern ?? ''}`, description })
const nullIfEmpty = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

/** @param draw of the pages, which know how */
export const brandingPreviewRoutes = (
  { publicUrl }: Pick<Services, 'publicUrl'>,
  draw: DrawPreview,
): readonly Route[] => [
  route({
    method: 'GET',
    path: '/branding/preview',
    tag: 'Settings',
    summary: 'Preview the sign-in page or an email',
    description:
      'The page, or an invitation to an example user, as it would be with settings that are not saved. Nothing in it works: it runs no scripts and sends no forms. Only pages of this service can frame it.',
    access: readers,
    query: fields({
      page: Type.Enum(['sign_in', 'email']),
      theme: Type.Enum(['light', 'dark']),
      language: Type.Enum(['en', 'de']),
      accentColor: Type.Optional(
        orEmpty(Color, 'default: the saved colour; empty: the colour of the service'),
      ),
      name: Type.Optional(line(100, 'Example Ltd')),
      supportEmail: Type.Optional(orEmpty(EmailAddress, 'default: the saved address; empty: none')),
    }),
    produces: ['text/html'],
    status: 200,
    errors: [],
    handle: async ({ query }) => {
      const data = await draw({
        ...{ page: query.page, theme: query.theme, language: query.language, name: query.name },
        accentColor: nullIfEmpty(query.accentColor?.toLowerCase()),
        supportEmail: nullIfEmpty(query.supportEmail),
      })
      return {
        content: { type: 'text/html; charset=utf-8', data },
        headers: { ...previewSecurityHeaders(publicUrl, data), 'Content-Language': query.language },
      }
    },
  }),
]

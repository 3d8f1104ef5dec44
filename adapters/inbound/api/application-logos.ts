import { logoTypes } from '../../../domain/logo.ts'
import { readApplicationLogo } from '../../../read-models/queries/logos.ts'
import { applicationLogoCommands } from '../../application/commands/application-logos.ts'
import { applicationLogoPath } from '../../application/services/logo-path.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { writers } from '../http/schemas.ts'
import {
  logoImages,
  logoQuery,
  logoUpload,
  UPLOAD_RULES,
  UploadedLogo,
  uploadedImage,
} from './logo-images.ts'

const path = '/applications/{id}/logo'
const params = fields({ id: idOf('application') })
/** Of all images that stay in memory: those of 32 applications with the largest logos */
const KEPT_BYTES = 8 * 1024 * 1024

/** Routes for the uploaded logos of applications. */
export const applicationLogoRoutes = (
  services: Pick<Services, 'handle' | 'locks' | 'pool' | 'configuration' | 'publicUrl'>,
): readonly Route[] => {
  const { pool, configuration, publicUrl } = services
  const logos = applicationLogoCommands(services)
  const image = logoImages(KEPT_BYTES)

  return [
    route({
      method: 'GET',
      path,
      tag: 'Public information',
      summary: 'Get the uploaded logo of an application',
      description:
        'The response is the same for an application without an uploaded logo and for an unknown one.',
      access: { credentials: ['none'] },
      params,
      query: logoQuery,
      produces: logoTypes,
      status: 200,
      errors: ['ERR_NOT_FOUND'],
      handle: async ({ params: { id }, query }) => {
        const { applicationById } = await configuration.fresh()
        return image(applicationById.get(id)?.logo, query.v, () => readApplicationLogo(pool, id))
      },
    }),
    route({
      method: 'PUT',
      path,
      tag: 'Applications',
      summary: 'Upload the logo of an application',
      description: `${UPLOAD_RULES} Pages show it in place of logoUrl.`,
      access: writers('app_admin'),
      params,
      upload: logoUpload,
      result: UploadedLogo,
      status: 200,
      errors: ['ERR_TOO_LARGE'],
      audit: ['application.logo.update'],
      handle: async (request) => {
        const { id } = request.params
        const { type, bytes } = uploadedImage(request)
        const { digest } = await logos.set(id, type, bytes, actorOf(request))
        return { body: { logoUrl: publicUrl + applicationLogoPath(id, digest) } }
      },
    }),
    route({
      method: 'DELETE',
      path,
      tag: 'Applications',
      summary: 'Remove the uploaded logo of an application',
      access: writers('app_admin'),
      params,
      status: 204,
      errors: [],
      audit: ['application.logo.delete'],
      handle: async (request) => {
        await logos.delete(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}

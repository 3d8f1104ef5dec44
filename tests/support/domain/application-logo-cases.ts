import type { ApplicationLogoEvent } from '../../../domain/application-logo/events.ts'
import { id } from '../fixed.ts'
import type { TableCase } from '../sign-in/people-cases.ts'

const applicationId = id('application')
const updated = (digest: string): ApplicationLogoEvent => ({
  type: 'application_logo.updated',
  data: { applicationId, mediaType: 'image/png', digest, content: `content ${digest}` },
})

/** The uploaded logo of an application after these events. */
export const applicationLogoCases: readonly TableCase[] = [
  [
    'application_logos',
    'uploaded and replaced',
    [updated('one'), updated('two')],
    [{ application_id: applicationId, media_type: 'image/png', digest: 'two', content: 'content two' }],
  ],
  [
    'application_logos',
    'removed',
    [updated('one'), { type: 'application_logo.deleted', data: { applicationId, digest: 'one' } }],
    [],
  ],
  [
    'application_logos',
    'of an application that was deleted',
    [updated('one'), { type: 'application.deleted', data: { applicationId } }],
    [],
  ],
]

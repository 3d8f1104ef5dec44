import { applicationLogoDecider } from '../../domain/application-logo/decider.ts'
import type { ApplicationLogoEvent } from '../../domain/application-logo/events.ts'
import type { Logo } from '../../domain/logo.ts'
import { given } from '../support/domain/given.ts'
import { id } from '../support/fixed.ts'

const applicationId = id('application')
const png: Logo = { mediaType: 'image/png', digest: 'one', content: 'iVBORw==' }
const jpeg: Logo = { mediaType: 'image/jpeg', digest: 'two', content: '/9j/' }
const updated = (logo: Logo): ApplicationLogoEvent => ({
  type: 'application_logo.updated',
  data: { applicationId, ...logo },
})
const deleted = (digest: string): ApplicationLogoEvent => ({
  type: 'application_logo.deleted',
  data: { applicationId, digest },
})
const set = (logo: Logo) => ({ type: 'set', applicationId, logo }) as const
const remove = { type: 'delete', applicationId } as const

describe('The logo of an application', () => {
  it('API-11 is set, replaced and removed; the same one changes nothing', () => {
    const after = (...events: readonly ApplicationLogoEvent[]) => given(applicationLogoDecider, ...events)
    after().when(set(png)).then(updated(png))
    after(updated(png)).when(set(png)).changesNothing()
    after(updated(png)).when(set(jpeg)).then(updated(jpeg))
    after(updated(png)).when(remove).then(deleted('one'))
    after(updated(png), deleted('one')).when(remove).changesNothing()
    after(updated(png), deleted('one')).when(set(png)).then(updated(png))
    after().when(remove).changesNothing()
  })
})

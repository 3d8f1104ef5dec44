import { expect } from 'chai'
import { brandingDecider, isRasterImage } from '../../domain/branding/decider.ts'
import type { BrandingEvent, Logo } from '../../domain/branding/events.ts'
import { given } from '../support/domain/given.ts'

const png: Logo = { mediaType: 'image/png', digest: 'one', content: 'iVBORw==' }
const jpeg: Logo = { mediaType: 'image/jpeg', digest: 'two', content: '/9j/' }
const updated = (data: Logo): BrandingEvent => ({ type: 'branding.logo_updated', data })
const deleted = (digest: string): BrandingEvent => ({ type: 'branding.logo_deleted', data: { digest } })

describe('Branding', () => {
  it('API-11 the logo is set, replaced and removed; the same one changes nothing', () => {
    given(brandingDecider).when({ type: 'set_logo', logo: png }).then(updated(png))
    given(brandingDecider, updated(png)).when({ type: 'set_logo', logo: png }).changesNothing()
    given(brandingDecider, updated(png)).when({ type: 'set_logo', logo: jpeg }).then(updated(jpeg))
    given(brandingDecider, updated(png)).when({ type: 'delete_logo' }).then(deleted('one'))
    given(brandingDecider, updated(png), deleted('one')).when({ type: 'delete_logo' }).changesNothing()
    given(brandingDecider, updated(png), deleted('one'))
      .when({ type: 'set_logo', logo: png })
      .then(updated(png))
    given(brandingDecider).when({ type: 'delete_logo' }).changesNothing()
  })

  const files = {
    'image/png': Buffer.from('89504e470d0a1a0a0000', 'hex'),
    'image/jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
    'image/webp': Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ', 'latin1'),
  } as const
  for (const type of Object.keys(files) as (keyof typeof files)[])
    it(`API-11 ${type} is told from other files`, () => {
      for (const [other, bytes] of Object.entries(files))
        expect(isRasterImage(type, bytes), other).to.equal(other === type)
      for (const bytes of [Buffer.alloc(0), Buffer.from('<svg/>'), files[type].subarray(1)])
        expect(isRasterImage(type, bytes)).to.equal(false)
    })
})

/** New applications, each protocol with its own fields. */
import type {
  ApplicationFields,
  OidcApplicationType,
  OidcSettings,
} from '../../../domain/application/events.ts'
import { isCommonField } from '../../../domain/application/fields.ts'
import { DomainError } from '../../../domain/errors.ts'
import { applicationCommands } from '../../application/commands/applications.ts'
import type { Services } from '../../application/services/services.ts'
import type { Actor } from '../../application/services/handle.ts'
import { completeSamlInput, samlInput, type SentSamlInput } from './saml-input.ts'

/** Types that may be registered; the command line's own application is there already. */
export const registrableTypes = ['web', 'spa', 'native', 'service'] as const

/** The sent fields, for either protocol. */
export interface Registration extends Partial<OidcSettings & ApplicationFields> {
  readonly name: string
  readonly type?: OidcApplicationType
  readonly saml?: SentSamlInput
  readonly metadataXml?: string
}

const invalid = (field: string, expected: string): DomainError =>
  new DomainError('ERR_INVALID', `${field}: ${expected}`, `/${field}`)

export const registration = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random'>,
) => {
  const { clock } = services
  const applications = applicationCommands(services)

  return {
    /** @throws DomainError ERR_INVALID naming the field that is missing or of another protocol, ERR_CONFLICT */
    oidc: async (
      { type: applicationType, saml, metadataXml, ...settings }: Registration,
      groupIds: readonly string[],
      actor: Actor,
    ) => {
      if (applicationType === undefined)
        throw invalid('type', `is missing; expected one of ${registrableTypes.join(', ')}`)
      if (saml !== undefined) throw invalid('saml', 'expected none for the protocol oidc')
      if (metadataXml !== undefined) throw invalid('metadataXml', 'expected none for the protocol oidc')
      return applications.create({ applicationType, settings, groupIds }, actor)
    },

    /** @throws DomainError ERR_INVALID naming the field that is missing or of another protocol, ERR_CONFLICT */
    saml: async (
      { saml = {}, metadataXml, ...fields }: Registration,
      groupIds: readonly string[],
      actor: Actor,
    ) => {
      const foreign = Object.keys(fields).find((field) => !isCommonField(field))
      if (foreign !== undefined) throw invalid(foreign, 'expected none for the protocol saml')
      const input = completeSamlInput(samlInput(saml), metadataXml, new Date(clock.now()), '/saml')
      const created = await applications.createSaml({ fields, saml: input, groupIds }, actor)
      return { ...created, clientSecret: undefined }
    },
  }
}

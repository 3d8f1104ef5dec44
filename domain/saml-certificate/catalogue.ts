import { entityManagement, low } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { SamlCertificateEvent } from './events.ts'

const certificate = ({ certificateId }: { certificateId: string }) => ({
  type: 'saml_certificate',
  id: certificateId,
})

export const samlCertificateEvents = {
  'saml_certificate.created': {
    schema: 1,
    audit: 'saml.certificate.create',
    ocsf: entityManagement('Create'),
    summary: (_, { target }) => `Created the SAML certificate ${target}`,
    target: certificate,
    personal: [],
    subject: nobody,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: true,
      movesPackageAccess: 'none',
    },
  },
  'saml_certificate.activated': {
    schema: 1,
    // The first one signs as soon as it is created; another event reports that.
    audit: ({ previousCertificateId }) => (previousCertificateId === null ? null : 'saml.certificate.rotate'),
    actions: {
      'saml.certificate.rotate': entityManagement('Update', low),
    },
    summary: (_, { target }) => `Started signing SAML responses with the certificate ${target}`,
    target: certificate,
    personal: [],
    subject: nobody,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: true,
      movesPackageAccess: 'none',
    },
  },
  'saml_certificate.deleted': {
    schema: 1,
    audit: 'saml.certificate.delete',
    ocsf: entityManagement('Delete', low),
    summary: (_, { target }) => `Removed the SAML certificate ${target} from the metadata`,
    target: certificate,
    personal: [],
    subject: nobody,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: true,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<SamlCertificateEvent>

import type { Table } from '../table.ts'

const self = (event: { data: { certificateId: string } }) => ({ id: event.data.certificateId })

export const samlCertificates: Table = {
  name: 'saml_certificates',
  key: ['id'],
  on: {
    'saml_certificate.created': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.certificateId,
          status: 'next',
          certificate: data.certificatePem,
          fingerprint: data.fingerprint,
          not_before: data.notBefore,
          not_after: data.notAfter,
          sealed_private_key: data.sealedPrivateKey,
          created_at: metadata.time,
          activated_at: null,
        })
      },
    },
    'saml_certificate.activated': {
      reads: (event) => [
        self(event),
        ...(event.data.previousCertificateId === null ? [] : [{ id: event.data.previousCertificateId }]),
      ],
      apply: (event, rows) => {
        const { previousCertificateId } = event.data
        if (previousCertificateId !== null) rows.patch({ id: previousCertificateId }, { status: 'previous' })
        rows.patch(self(event), { status: 'active', activated_at: event.metadata.time })
      },
    },
    'saml_certificate.deleted': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) rows.delete(row)
      },
    },
  },
}

import { useState, type ReactNode } from 'react'
import { useRecord, type Command } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Copy } from '../kit/copy.tsx'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { SamlCertificateRecord, SigningKeyRecord, SshAuthorityKeyRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { texts, useTexts } from '../text.tsx'

const keyTexts = texts({
  en: {
    title: 'Signing keys',
    lead: 'The keys that sign tokens, SAML responses and SSH certificates. Applications and servers read the public keys themselves.',
    tokens: 'Tokens (OpenID Connect)',
    saml: 'SAML responses',
    ssh: 'SSH certificates',
    revoke: 'Revoke',
    revokeTitle: 'Revoke a former key of the SSH authority',
    revokeEffect:
      'For a key that others may know. Servers reject every certificate that it has signed as soon as they have fetched the revocation list again.',
    revokeDone: 'Revoked',
    sshHint: 'Servers trust these keys (TrustedUserCAKeys). They fetch them from:',
    sshAddress: 'Address of the public keys',
    publicKey: 'Public key',
    next: 'Next',
    active: 'Signs now',
    previous: 'Still accepted',
    retired: 'Retired',
    revoked: 'Revoked',
    created: 'Created',
    activated: 'Signs since',
    retires: 'Accepted until',
    validUntil: 'Valid until',
    fingerprint: 'Fingerprint (SHA-256)',
    certificate: 'Certificate',
    rotate: 'Rotate',
    rotateTokens: 'Rotate the signing key of tokens',
    rotateTokensEffect:
      'The next key signs from now on. The present one stays in the key set for 7 days, so that tokens remain valid.',
    rotateSaml: 'Rotate the SAML certificate',
    rotateSamlEffect:
      'The next certificate signs from now on. Applications that do not read the metadata by themselves reject sign-ins until you add it there.',
    rotateSsh: 'Rotate the key of the SSH authority',
    rotateSshEffect:
      'The next key signs from now on. Servers that have fetched the public keys since the last rotation know it. The present one stays published for two days, until its certificates have expired.',
    rotated: 'Rotated',
    remove: 'Delete',
    removeTitle: 'Delete a previous certificate',
    removeEffect: 'It disappears from the metadata. Applications no longer trust what it signed.',
    removed: 'Deleted',
  },
  de: {
    title: 'Signaturschlüssel',
    lead: 'Die Schlüssel, die Tokens, SAML-Antworten und SSH-Zertifikate signieren. Anwendungen und Server lesen die öffentlichen Schlüssel selbst.',
    tokens: 'Tokens (OpenID Connect)',
    saml: 'SAML-Antworten',
    ssh: 'SSH-Zertifikate',
    revoke: 'Widerrufen',
    revokeTitle: 'Früheren Schlüssel der SSH-Zertifizierungsstelle widerrufen',
    revokeEffect:
      'Für einen Schlüssel, den andere kennen könnten. Server lehnen alle Zertifikate ab, die er signiert hat, sobald sie die Sperrliste wieder abgerufen haben.',
    revokeDone: 'Widerrufen',
    sshHint: 'Server vertrauen diesen Schlüsseln (TrustedUserCAKeys). Sie rufen sie hier ab:',
    sshAddress: 'Adresse der öffentlichen Schlüssel',
    publicKey: 'Öffentlicher Schlüssel',
    next: 'Nächster',
    active: 'Signiert jetzt',
    previous: 'Noch akzeptiert',
    retired: 'Ausgemustert',
    revoked: 'Widerrufen',
    created: 'Angelegt',
    activated: 'Signiert seit',
    retires: 'Akzeptiert bis',
    validUntil: 'Gültig bis',
    fingerprint: 'Fingerabdruck (SHA-256)',
    certificate: 'Zertifikat',
    rotate: 'Wechseln',
    rotateTokens: 'Signaturschlüssel der Tokens wechseln',
    rotateTokensEffect:
      'Ab sofort signiert der nächste Schlüssel. Der jetzige bleibt 7 Tage im Schlüsselsatz, damit Tokens gültig bleiben.',
    rotateSaml: 'SAML-Zertifikat wechseln',
    rotateSamlEffect:
      'Ab sofort signiert das nächste Zertifikat. Anwendungen, die die Metadaten nicht selbst lesen, lehnen Anmeldungen ab, bis Sie es dort eintragen.',
    rotateSsh: 'Schlüssel der SSH-Zertifizierungsstelle wechseln',
    rotateSshEffect:
      'Ab sofort signiert der nächste Schlüssel. Server, die die öffentlichen Schlüssel seit dem letzten Wechsel abgerufen haben, kennen ihn. Der jetzige bleibt zwei Tage veröffentlicht, bis seine Zertifikate abgelaufen sind.',
    rotated: 'Gewechselt',
    remove: 'Löschen',
    removeTitle: 'Voriges Zertifikat löschen',
    removeEffect: 'Es verschwindet aus den Metadaten. Anwendungen vertrauen nicht mehr, was es signiert hat.',
    removed: 'Gelöscht',
  },
})

type Status = SshAuthorityKeyRecord['status']
const tones: Readonly<Record<Status, Tone>> = {
  next: 'neutral',
  active: 'good',
  previous: 'warn',
  retired: 'neutral',
  revoked: 'bad',
}

interface Change {
  readonly title: string
  readonly effect: string
  readonly confirm: string
  readonly done: string
  readonly command: Command
}

export const KeysPage = () => {
  const text = useTexts(keyTexts)
  const { at } = useMoment()
  const mayWrite = useMay('global_admin') && at === null
  const keys = useRecord<readonly SigningKeyRecord[]>('/signing-keys')
  const certificates = useRecord<readonly SamlCertificateRecord[]>('/saml/certificates')
  const authority = useRecord<readonly SshAuthorityKeyRecord[]>('/ssh/ca/keys')
  const [change, setChange] = useState<Change | null>(null)
  const rotate = (title: string, effect: string, path: string): ReactNode =>
    mayWrite && (
      <Button
        small
        look="danger"
        onClick={() =>
          setChange({
            title,
            effect,
            confirm: text.rotate,
            done: text.rotated,
            command: { method: 'POST', path },
          })
        }
      >
        {title}
      </Button>
    )
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <Section
        title={text.tokens}
        actions={rotate(text.rotateTokens, text.rotateTokensEffect, '/signing-keys/rotate')}
      >
        <Loaded query={keys}>
          {(items) =>
            items.map(({ id, kid, alg, status, createdAt, activatedAt, retiresAt }) => (
              <Facts
                key={id}
                facts={[
                  [alg, <code key="kid">{kid}</code>],
                  ['Status', <KeyStatus key="status" status={status} />],
                  [text.created, <Time key="created" value={createdAt} />],
                  [text.activated, activatedAt === null ? null : <Time value={activatedAt} />],
                  [text.retires, retiresAt === null ? null : <Time value={retiresAt} />],
                ]}
              />
            ))
          }
        </Loaded>
      </Section>
      <Section
        title={text.saml}
        actions={rotate(text.rotateSaml, text.rotateSamlEffect, '/saml/certificate/rotate')}
      >
        <Loaded query={certificates}>
          {(items) =>
            items.map(({ id, status, fingerprint, certificate, notAfter, activatedAt }) => (
              <div key={id} className="dialog-body">
                <Facts
                  facts={[
                    ['Status', <KeyStatus key="status" status={status} />],
                    [text.validUntil, <Time key="until" value={notAfter} />],
                    [text.activated, activatedAt === null ? null : <Time value={activatedAt} />],
                    [text.fingerprint, <code key="fingerprint">{fingerprint}</code>],
                  ]}
                />
                <Copy label={text.certificate} value={certificate} />
                {mayWrite && status === 'previous' && (
                  <Button
                    small
                    look="danger"
                    onClick={() =>
                      setChange({
                        title: text.removeTitle,
                        effect: text.removeEffect,
                        confirm: text.remove,
                        done: text.removed,
                        command: { method: 'DELETE', path: `/saml/certificates/${id}` },
                      })
                    }
                  >
                    {text.remove}
                  </Button>
                )}
              </div>
            ))
          }
        </Loaded>
      </Section>
      <Section
        title={text.ssh}
        hint={text.sshHint}
        actions={rotate(text.rotateSsh, text.rotateSshEffect, '/ssh/ca/rotate')}
      >
        <Copy label={text.sshAddress} value={`${window.location.origin}/api/v1/ssh/ca.pub`} />
        <Loaded query={authority}>
          {(items) =>
            items.map(({ fingerprint, publicKey, status, createdAt, activatedAt, retiresAt }) => (
              <div key={fingerprint} className="dialog-body">
                <Facts
                  facts={[
                    [text.fingerprint, <code key="fingerprint">{fingerprint}</code>],
                    ['Status', <KeyStatus key="status" status={status} />],
                    [text.publicKey, <code key="key">{publicKey}</code>],
                    [text.created, <Time key="created" value={createdAt} />],
                    [text.activated, activatedAt === null ? null : <Time value={activatedAt} />],
                    [text.retires, retiresAt === null ? null : <Time value={retiresAt} />],
                  ]}
                />
                {mayWrite && (status === 'previous' || status === 'retired') && (
                  <Button
                    small
                    look="danger"
                    onClick={() =>
                      setChange({
                        title: text.revokeTitle,
                        effect: text.revokeEffect,
                        confirm: text.revoke,
                        done: text.revokeDone,
                        command: { method: 'POST', path: '/ssh/ca/revoke', body: { fingerprint } },
                      })
                    }
                  >
                    {text.revoke}
                  </Button>
                )}
              </div>
            ))
          }
        </Loaded>
      </Section>
      {change !== null && (
        <CommandDialog
          title={change.title}
          intro={<p>{change.effect}</p>}
          confirm={change.confirm}
          dangerous
          done={change.done}
          command={() => change.command}
          onClose={() => setChange(null)}
        />
      )}
    </>
  )
}

const KeyStatus = ({ status }: { readonly status: Status }) => {
  const text = useTexts(keyTexts)
  return <Badge tone={tones[status]}>{text[status]}</Badge>
}

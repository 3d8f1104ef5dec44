import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { icons } from '../kit/icons.ts'
import { moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { empty, section } from './frame.ts'

/** A certificate that servers accept. */
export interface AccountSshCertificate {
  readonly serial: string
  readonly principals: readonly string[]
  readonly keyFingerprint: string
  readonly validBefore: string
}

export interface AccountSsh {
  /** The accounts on servers that the user may open */
  readonly principals: readonly string[]
  readonly certificates: readonly AccountSshCertificate[]
  /** The service's address, for the command that gets a certificate */
  readonly publicUrl: string
}

const words = texts({
  en: {
    title: 'SSH certificates',
    hint: (principals: string) => `Your groups let you open servers as ${principals}.`,
    gone: 'None of your groups maps to an SSH principal any more.',
    terminal: 'At a terminal:',
    none: 'No certificate is valid now.',
    get: 'Get certificate',
    getTitle: 'Get an SSH certificate',
    key: 'Public key',
    keyHint: 'The content of a file such as ~/.ssh/id_ed25519.pub. Never the private key.',
    until: (at: Html) => html`Valid until ${at}.`,
    revoke: 'Revoke',
    revokeTitle: 'Revoke this certificate?',
    revocation: html`Servers will reject the certificate for <strong data-subject></strong>. Do this if you
      lost the key.`,
    ready: 'Your SSH certificate',
    save: html`Save it next to your key, as <code>id_ed25519-cert.pub</code>. ssh then finds it.`,
    certificate: 'Certificate',
    download: 'Download',
    done: 'Done',
  },
  de: {
    title: 'SSH-Zertifikate',
    hint: (principals) => `Mit Ihren Gruppen können Sie Server öffnen als ${principals}.`,
    gone: 'Keine Ihrer Gruppen ist noch einem SSH-Prinzipal zugeordnet.',
    terminal: 'In einem Terminal:',
    none: 'Zurzeit ist kein Zertifikat gültig.',
    get: 'Zertifikat holen',
    getTitle: 'SSH-Zertifikat holen',
    key: 'Öffentlicher Schlüssel',
    keyHint: 'Der Inhalt einer Datei wie ~/.ssh/id_ed25519.pub. Nie der private Schlüssel.',
    until: (at) => html`Gültig bis ${at}.`,
    revoke: 'Widerrufen',
    revokeTitle: 'Dieses Zertifikat widerrufen?',
    revocation: html`Server lehnen das Zertifikat für <strong data-subject></strong> dann ab. Tun Sie das,
      wenn Sie den Schlüssel verloren haben.`,
    ready: 'Ihr SSH-Zertifikat',
    save: html`Speichern Sie es neben Ihrem Schlüssel, als <code>id_ed25519-cert.pub</code>. Dort findet ssh
      es.`,
    certificate: 'Zertifikat',
    download: 'Herunterladen',
    done: 'Fertig',
  },
})

const row = (
  { serial, principals, keyFingerprint, validBefore }: AccountSshCertificate,
  language: Language,
): Html => {
  const text = words[language]
  const name = principals.join(', ')
  return html`<li>
    <span class="glyph">${icons.key}</span>
    <div>
      <p class="row-title">${name}</p>
      <p class="row-detail">${text.until(moment(validBefore, language))}</p>
      <p class="row-detail"><code>${keyFingerprint}</code></p>
    </div>
    <div class="actions needs-script">
      <button
        class="button button-quiet button-small button-danger"
        type="button"
        ${{ 'data-open': 'revoke-certificate', 'data-id': serial, 'data-name': name }}
      >
        ${text.revoke}<span class="visually-hidden"> ${name}</span>
      </button>
    </div>
  </li>`
}

export const sshSection = ({ principals, certificates, publicUrl }: AccountSsh, language: Language): Html => {
  const text = words[language]
  const mayGet = principals.length > 0
  return section({
    id: 'ssh',
    title: text.title,
    hint: mayGet ? text.hint(principals.join(', ')) : text.gone,
    action:
      mayGet &&
      html`<button class="button button-small needs-script" type="button" data-open="get-certificate">
        ${text.get}
      </button>`,
    body: html`${
      certificates.length === 0
        ? empty(text.none)
        : html`<ul class="rows">
            ${certificates.map((certificate) => row(certificate, language))}
          </ul>`
    }
    ${
      mayGet &&
      html`<p class="hint section-foot">${text.terminal}</p>
        <p class="hint"><code>svc login --server ${publicUrl}</code></p>
        <p class="hint"><code>svc ssh-cert</code></p>`
    }`,
  })
}

export const sshDialogs = (language: Language): Html => {
  const text = words[language]
  return html`${dialog({
    language,
    name: 'get-certificate',
    title: text.getTitle,
    body: html`<div class="field">
      <label for="ssh-public-key">${text.key}</label>
      <textarea
        id="ssh-public-key"
        name="publicKey"
        rows="4"
        maxlength="8192"
        required
        spellcheck="false"
        autocomplete="off"
        aria-describedby="ssh-public-key-hint"
      ></textarea>
      <p class="hint" id="ssh-public-key-hint">${text.keyHint}</p>
    </div>`,
    confirm: text.get,
  })}
  ${dialog({
    language,
    name: 'certificate-ready',
    title: text.ready,
    body: html`<p>${text.save}</p>
      <div class="field">
        <label for="ssh-certificate">${text.certificate}</label>
        <textarea id="ssh-certificate" rows="6" readonly spellcheck="false"></textarea>
      </div>
      <p>
        <button class="button button-small" type="button" data-action="download-certificate">
          ${text.download}
        </button>
      </p>`,
    confirm: text.done,
  })}
  ${dialog({
    language,
    name: 'revoke-certificate',
    title: text.revokeTitle,
    body: html`<p>${text.revocation}</p>`,
    confirm: text.revoke,
    look: 'problem',
  })}`
}

import { texts } from '../text.tsx'

export const previewTexts = texts({
  en: {
    preview: 'Preview',
    signIn: 'Sign-in page',
    email: 'Email: invitation',
    language: 'Preview language',
    english: 'English',
    german: 'German',
    light: 'Light theme',
    dark: 'Dark theme',
    signInLight: 'Preview of the sign-in page in the light theme',
    signInDark: 'Preview of the sign-in page in the dark theme',
    emailLight: 'Preview of an email in the light theme',
    emailDark: 'Preview of an email in the dark theme',
  },
  de: {
    preview: 'Vorschau',
    signIn: 'Anmeldeseite',
    email: 'E-Mail: Einladung',
    language: 'Sprache der Vorschau',
    english: 'Englisch',
    german: 'Deutsch',
    light: 'Helles Farbschema',
    dark: 'Dunkles Farbschema',
    signInLight: 'Vorschau der Anmeldeseite im hellen Farbschema',
    signInDark: 'Vorschau der Anmeldeseite im dunklen Farbschema',
    emailLight: 'Vorschau einer E-Mail im hellen Farbschema',
    emailDark: 'Vorschau einer E-Mail im dunklen Farbschema',
  },
})

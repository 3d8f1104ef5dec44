const form = document.querySelector<HTMLFormElement>('form[data-submit]')

// A field named "submit" would hide the form's method.
if (form) HTMLFormElement.prototype.submit.call(form)

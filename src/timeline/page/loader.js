// Starts the page's script, which is in it compressed. `window.ready` is fulfilled when it has run.
window.ready = (async () => {
  const data = document.getElementById('script-data');
  const bytes = Uint8Array.from(atob(data.textContent), character => character.charCodeAt(0));
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const script = document.createElement('script');
  script.textContent = await new Response(text).text();
  document.body.append(script); // it runs now
  script.remove();
  data.remove();
})().catch(error => {
  document.body.prepend(`This page cannot be shown: ${error}`);
  console.error(error);
});

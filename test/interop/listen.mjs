// listen serves an express application on a free port of this machine and returns its address.
export function listen(app) {
  return new Promise((resolve, reject) => {
    const server = app.listen(0, "127.0.0.1", (error) => {
      if (error) reject(error);
      else resolve(`http://127.0.0.1:${server.address().port}`);
    });
  });
}

// Reads an OpenAPI document, resolves its references and validates it, as clients of @apidevtools/swagger-parser do.
import SwaggerParser from "@apidevtools/swagger-parser";

await SwaggerParser.validate(process.argv[2]);
